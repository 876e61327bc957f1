import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { createQueryClient } from './api/queries.ts'
import { App } from './app.tsx'
import './style/base.css'
import './style/controls.css'
import './style/layout.css'
import './style/resources.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element with the id root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <BrowserRouter basename="/dashboard">
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
)
