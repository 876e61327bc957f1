import { Link, Route, Routes } from 'react-router'
import type { Resource } from './api/listing.ts'
import { DetailPage } from './resource/detail-page.tsx'
import { ListPage } from './resource/list-page.tsx'
import type { ResourceView } from './resource/resource-view.ts'
import { apiKeyView, botUserView, credentialView } from './resources/access.tsx'
import {
  failoverView,
  httpResponseView,
  staticBackendView,
  tunnelGroupView,
  weightedView,
} from './resources/backends.tsx'
import { agentIngressView, reservedAddressView, reservedDomainView } from './resources/domains.tsx'
import { httpsEdgeView, tcpEdgeView, tlsEdgeView } from './resources/edges.tsx'
import { ipPolicyView } from './resources/ip-policies.tsx'
import { sshAuthorityView, sshHostCertificateView, sshUserCertificateView } from './resources/ssh.tsx'
import { certificateAuthorityView, tlsCertificateView } from './resources/tls.tsx'
import { Page } from './ui/page.tsx'

/** A list and a detail page for each kind of stored resource. */
export function ResourcePages() {
  return (
    <Routes>
      {pagesOf(apiKeyView)}
      {pagesOf(credentialView)}
      {pagesOf(botUserView)}
      {pagesOf(reservedDomainView)}
      {pagesOf(reservedAddressView)}
      {pagesOf(agentIngressView)}
      {pagesOf(tlsCertificateView)}
      {pagesOf(certificateAuthorityView)}
      {pagesOf(httpsEdgeView)}
      {pagesOf(tlsEdgeView)}
      {pagesOf(tcpEdgeView)}
      {pagesOf(tunnelGroupView)}
      {pagesOf(httpResponseView)}
      {pagesOf(staticBackendView)}
      {pagesOf(weightedView)}
      {pagesOf(failoverView)}
      {pagesOf(ipPolicyView)}
      {pagesOf(sshAuthorityView)}
      {pagesOf(sshHostCertificateView)}
      {pagesOf(sshUserCertificateView)}
      <Route path="*" element={<NoSuchPage />} />
    </Routes>
  )
}

function NoSuchPage() {
  return (
    <Page title="There is no such page">
      <Link to="/">Back to the overview</Link>
    </Page>
  )
}

function pagesOf<T extends Resource>(view: ResourceView<T>) {
  return (
    <Route key={view.page} path={view.page}>
      <Route index element={<ListPage key={view.page} view={view} />} />
      <Route path=":id" element={<DetailPage key={view.page} view={view} />} />
    </Route>
  )
}
