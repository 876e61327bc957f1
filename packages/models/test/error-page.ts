import { errorDefinitions } from '../src/errors/catalogue.ts'
import type { ErrorDefinition } from '../src/errors/definition.ts'

const head = `# Errors

Generated from \`packages/models/src/errors\`; \`npx vitest run -u\` in \`packages/models\` writes it again.

Every error of the management API has the body

\`\`\`json
{"error_code": "ERR_SERVICE_215", "status_code": 400, "msg": "…", "details": {"operation_id": "op_…"}}
\`\`\`

- \`error_code\` ends in the code of the table. It is missing where the table has none. With the version header of the hosted
  product its prefix is the one that clients of that product compare.
- All values of \`details\` are strings. \`operation_id\` stands in the log line of a failure of the service; an unknown path
  has \`path\` instead.
- "Act" says who can do something about it; "again" whether the same request may succeed later.
- Codes from 90000 on are our own; the others follow the hosted product.

| Code | Status | Reason | Act | Again | Text |
|---|---|---|---|---|---|
`

/** The text of \`docs/errors.md\`. */
export function errorPage(): string {
  const rows = Object.entries(errorDefinitions).toSorted(([, a], [, b]) => order(a) - order(b))
  return head + rows.map(([reason, row]) => tableRow(reason, row)).join('')
}

function order({ code, status }: ErrorDefinition): number {
  return code ?? status - 1000
}

function tableRow(reason: string, { code, status, owner, retryable, msg }: ErrorDefinition): string {
  const text = msg.replaceAll('|', '\\|')
  return `| ${code ?? '–'} | ${status} | \`${reason}\` | ${owner} | ${retryable ? 'yes' : 'no'} | ${text} |\n`
}
