import { defineConfig } from 'vitest/config'

// Every file runs programs of its own; more files at once would only slow each other down.
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, maxWorkers: 2 },
})
