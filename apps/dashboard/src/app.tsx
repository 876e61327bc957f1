import { useQueryClient } from '@tanstack/react-query'
import { Suspense, lazy, useEffect } from 'react'
import { RouterProvider } from 'react-aria-components'
import { Route, Routes, useHref, useNavigate } from 'react-router'
import { refreshOnEvents } from './api/live-update.ts'
import { useSignInState } from './api/sign-in.ts'
import { FirstAccountPage } from './pages/first-account-page.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import { Shell } from './shell.tsx'
import { ErrorNotice } from './ui/notice.tsx'

// Pages are fetched when they are first opened.
const OverviewPage = lazy(async () => ({ default: (await import('./pages/overview-page.tsx')).OverviewPage }))
const SessionsPage = lazy(async () => ({ default: (await import('./pages/sessions-page.tsx')).SessionsPage }))
const SessionPage = lazy(async () => ({ default: (await import('./pages/session-page.tsx')).SessionPage }))
const TunnelsPage = lazy(async () => ({ default: (await import('./pages/tunnels-page.tsx')).TunnelsPage }))
const PolicyPage = lazy(async () => ({ default: (await import('./pages/policy-page.tsx')).PolicyPage }))
const SettingsPage = lazy(async () => ({ default: (await import('./pages/settings-page.tsx')).SettingsPage }))
const ResourcePages = lazy(async () => ({ default: (await import('./resource-pages.tsx')).ResourcePages }))

/** Decides between first set-up, sign-in, and the pages. */
export function App() {
  const navigate = useNavigate()
  const { data, error } = useSignInState()
  if (error !== null) return <ErrorNotice error={error} />
  if (data === undefined) return null
  if (data.first_account_needed) return <FirstAccountPage />
  if (data.account === null) return <SignInPage />
  return (
    <RouterProvider navigate={(path) => void navigate(path)} useHref={useHref}>
      <Shell email={data.account.email}>
        <Suspense>
          <Pages />
        </Suspense>
      </Shell>
    </RouterProvider>
  )
}

function Pages() {
  const client = useQueryClient()
  useEffect(() => refreshOnEvents(client), [client])
  return (
    <Routes>
      <Route index element={<OverviewPage />} />
      <Route path="sessions" element={<SessionsPage />} />
      <Route path="sessions/:id" element={<SessionPage />} />
      <Route path="tunnels" element={<TunnelsPage />} />
      <Route path="policy-check" element={<PolicyPage />} />
      <Route path="settings" element={<SettingsPage />} />
      <Route path="*" element={<ResourcePages />} />
    </Routes>
  )
}
