import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compression } from 'vite-plugin-compression2'

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), compression({ algorithms: ['gzip', 'brotliCompress'] })],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 800 },
  server: { proxy: { '^/(?!dashboard/(?!session|account))': 'http://127.0.0.1:4300' } },
})
