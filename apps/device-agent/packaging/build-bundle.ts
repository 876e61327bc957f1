import { resolve } from 'node:path'
import { build } from 'tsup'
import type { BuildFacts } from '../src/build-facts.ts'

const source = resolve(import.meta.dirname, '../src')

// Some libraries inside are CommonJS and ask for Node's modules at run time.
const banner = `import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);`

/** Parts of libraries that the agent never calls. Each is found missing only when somebody does. */
const leftOut = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@opentelemetry/api',
  'light-my-request',
  'thread-stream',
]

/** Writes `agent.mjs` and `launcher.mjs`, each a single file that needs nothing but Node 20.18 or later. */
export async function buildBundle(outDir: string, facts: BuildFacts): Promise<void> {
  await build({
    entry: { agent: `${source}/main.ts`, launcher: `${source}/launcher/main.ts` },
    outDir,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: false,
    minify: true,
    noExternal: [/.*/],
    define: { BUILD_FACTS: JSON.stringify(facts) },
    esbuildOptions: (options) => {
      options.alias = Object.fromEntries(leftOut.map((name) => [name, `${import.meta.dirname}/left-out.cjs`]))
    },
    banner: { js: banner },
    config: false,
    silent: true,
    clean: false,
  })
}
