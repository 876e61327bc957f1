import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { RouterProvider } from 'react-aria-components'
import { Route, Routes, useHref, useNavigate } from 'react-router'
import { refreshOnEvents } from './api/events.ts'
import { useSignInState } from './api/session.ts'
import { FirstAccountPage } from './pages/first-account-page.tsx'
import { OverviewPage } from './pages/overview-page.tsx'
import { PolicyPage } from './pages/policy-page.tsx'
import { SessionPage } from './pages/session-page.tsx'
import { SessionsPage } from './pages/sessions-page.tsx'
import { SettingsPage } from './pages/settings-page.tsx'
import { SignInPage } from './pages/sign-in-page.tsx'
import { TunnelsPage } from './pages/tunnels-page.tsx'
import { DetailPage } from './resource/detail-page.tsx'
import { ListPage } from './resource/list-page.tsx'
import type { ResourceView } from './resource/resource-view.ts'
import type { Resource } from './api/collection.ts'
import { apiKeyView, botUserView, credentialView } from './resources/access.tsx'
import { agentIngressView, reservedDomainView } from './resources/domains.tsx'
import { httpsEdgeView } from './resources/edges.tsx'
import { sshAuthorityView, sshHostCertificateView, sshUserCertificateView } from './resources/ssh.tsx'
import { httpResponseView, ipPolicyView, tunnelGroupView } from './resources/traffic.tsx'
import { Shell } from './shell.tsx'
import { Empty } from './ui/empty.tsx'
import { ErrorNotice } from './ui/notice.tsx'

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
        <Pages />
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
      {resourceRoutes(apiKeyView)}
      {resourceRoutes(credentialView)}
      {resourceRoutes(botUserView)}
      {resourceRoutes(reservedDomainView)}
      {resourceRoutes(agentIngressView)}
      {resourceRoutes(httpsEdgeView)}
      {resourceRoutes(tunnelGroupView)}
      {resourceRoutes(httpResponseView)}
      {resourceRoutes(ipPolicyView)}
      {resourceRoutes(sshAuthorityView)}
      {resourceRoutes(sshHostCertificateView)}
      {resourceRoutes(sshUserCertificateView)}
      <Route path="*" element={<Empty title="There is no such page" />} />
    </Routes>
  )
}

function resourceRoutes<T extends Resource>(view: ResourceView<T>) {
  return (
    <Route key={view.page} path={view.page}>
      <Route index element={<ListPage key={view.page} view={view} />} />
      <Route path=":id" element={<DetailPage key={view.page} view={view} />} />
    </Route>
  )
}
