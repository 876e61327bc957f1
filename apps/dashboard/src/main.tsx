import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { createQueryClient } from './api/queries.ts'
import { signInQuery } from './api/sign-in.ts'
import { App } from './app.tsx'
import { preloadPage } from './page-routes.tsx'
import './style/base.css'
import './style/controls.css'
import './style/layout.css'
import './style/resources.css'

const basename = '/dashboard'
const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')

// What every page waits for is asked for before anything is drawn.
const client = createQueryClient()
void client.prefetchQuery(signInQuery)
preloadPage(location.pathname.slice(basename.length))

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <BrowserRouter basename={basename}>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
)
