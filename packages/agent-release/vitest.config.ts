import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { passWithNoTests: true, include: ['src/**/*.test.ts', 'test/**/*.test.ts'] } })
