import { Suspense } from 'react'
import { RouterProvider } from 'react-aria-components'
import { useHref, useNavigate } from 'react-router'
import { useLiveUpdates } from './api/live-update.ts'
import { useSignInState } from './api/sign-in.ts'
import { PageRoutes } from './page-routes.tsx'
import { FirstAccountPage } from './pages/first-account-page.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import { Shell } from './shell.tsx'
import { ErrorNotice } from './ui/notice.tsx'

/** Decides between first set-up, sign-in, and the pages. */
export function App() {
  const { data, error } = useSignInState()
  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined) return null
  if (data.first_account_needed) return <FirstAccountPage />
  if (data.account === null) return <SignInPage />
  return <SignedIn email={data.account.email} />
}

function SignedIn({ email }: { readonly email: string }) {
  const navigate = useNavigate()
  const isLive = useLiveUpdates()
  return (
    <RouterProvider navigate={(path) => void navigate(path)} useHref={useHref}>
      <Shell email={email}>
        <Suspense>{isLive && <PageRoutes />}</Suspense>
      </Shell>
    </RouterProvider>
  )
}
