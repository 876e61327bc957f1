import { Client } from 'pg'

/** A fresh database on the server of `TEST_POSTGRES_URL`, dropped at the end. */
export async function throwAwayDatabase(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = process.env['TEST_POSTGRES_URL']
  if (server === undefined)
    throw new Error('Set TEST_POSTGRES_URL to a PostgreSQL server on which databases can be created.')
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await run(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, [Symbol.asyncDispose]: () => run(server, `drop database if exists ${name} with (force)`) }
}

async function run(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
