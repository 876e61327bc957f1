import { defineConfig } from 'vitest/config'

// Many tests start programs, and a busy machine takes its time for that.
const processTimeoutMs = 30_000

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/bundle-setup.ts'],
    testTimeout: processTimeoutMs,
    hookTimeout: processTimeoutMs,
  },
})
