import { type ComponentType, lazy } from 'react'
import { Route, Routes, matchPath } from 'react-router'

/** Every page by its path below the dashboard; fetched when it is first opened. The last takes all other paths. */
const pages = [
  page('/', async () => (await import('./pages/overview-page.tsx')).OverviewPage),
  page('/sessions', async () => (await import('./pages/sessions-page.tsx')).SessionsPage),
  page('/sessions/:id', async () => (await import('./pages/session-page.tsx')).SessionPage),
  page('/tunnels', async () => (await import('./pages/tunnels-page.tsx')).TunnelsPage),
  page('/policy-check', async () => (await import('./pages/policy-page.tsx')).PolicyPage),
  page('/settings', async () => (await import('./pages/settings-page.tsx')).SettingsPage),
  page('/*', async () => (await import('./resource-pages.tsx')).ResourcePages),
]

function page(path: string, load: () => Promise<ComponentType>) {
  return { path, load, Page: lazy(async () => ({ default: await load() })) }
}

export function PageRoutes() {
  return (
    <Routes>
      {pages.map(({ path, Page }) => (
        <Route key={path} path={path} element={<Page />} />
      ))}
    </Routes>
  )
}

/** Begins to fetch the page of an address, so that it is there when it is known who looks at it. */
export function preloadPage(pathname: string): void {
  void pages.find(({ path }) => matchPath(path, pathname) !== null)?.load()
}
