import {
  type CelInput,
  type CelValue,
  celUint,
  isCelError,
  isCelList,
  isCelMap,
  isCelType,
  isCelUint,
  parse,
  plan,
} from '@bufbuild/cel'
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js'
import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js'
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js'
import { anyUnpack, DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { createRegistry, type Message, toJsonString } from '@bufbuild/protobuf'
import { isReflectMessage } from '@bufbuild/protobuf/reflect'
import { describe, expect, it } from 'vitest'
import { environment } from '../src/expressions/environment.ts'
import { compileExpression } from '../src/expressions/expression.ts'
import { begin, compile } from './harness.ts'

/** The parts of the language's published suite that policies can reach: everything but messages and optional extensions. */
const coreFiles = [
  'basic', 'comparisons', 'conversions', 'fields', 'fp_math', 'integer_math', 'lists', 'logic', 'macros', 'namespace', 'parse', 'plumbing',
  'string', 'string_ext', 'timestamps',
] // prettier-ignore

const registry = createRegistry(TimestampSchema, DurationSchema)

const core = getConformanceSuite()
  .suites.filter(({ name }) => coreFiles.includes(name))
  .flatMap((suite) => testsOf(suite).map((test) => ({ id: `${suite.name}/${test.name}: ${test.expr}`, test })))
  .filter(({ test }) => !test.checkOnly && !usesMessages(test))

/** What the library does not do: field names in back quotes, and refusing a key that repeats in another number type. */
const gaps = [
  'field_access_slash',
  'field_access_dash',
  'field_access_dot',
  'has_field_slash',
  'has_field_dash',
  'has_field_dot',
  'map_value_repeat_key_heterogeneous',
]

describe('the expression language', () => {
  it('passes the core of its published conformance suite', () => {
    const failed = core.filter(({ test }) => !isRight(test, runPlain(test))).map(({ test }) => test.name)
    expect(failed).toEqual(gaps)
    expect(core.length).toBe(1284)
  })

  it('keeps its results when the static checker has rewritten the expression', () => {
    const closed = core.filter(({ test }) => Object.keys(test.bindings).length === 0 && !gaps.includes(test.name))
    const results = closed.map(({ id, test }) => ({ id, test, result: runChecked(test) }))
    const wrong = results.filter(({ test, result }) => result !== undefined && !isRight(test, result))
    expect(wrong.map(({ id }) => id)).toEqual([])
    expect(closed.length).toBe(1241)
    // A refusal at creation stands for an error at run time; beyond that, only what no checker lets pass is refused.
    const refused = results.filter(
      ({ test, result }) => result === undefined && test.resultMatcher.case !== 'evalError' && !test.disableCheck,
    )
    expect(refused.map(({ id }) => id)).toEqual([
      "timestamps/type_comparison: google.protobuf.Timestamp == type(timestamp('2009-02-13T23:31:30Z'))",
      "timestamps/type_comparison: google.protobuf.Duration == type(duration('1000000s'))",
    ])
  })
})

function testsOf(suite: IncrementalTestSuite): SimpleTest[] {
  return [...suite.tests.map(({ original }) => original), ...suite.suites.flatMap(testsOf)]
}

function usesMessages(test: SimpleTest): boolean {
  const text = JSON.stringify(test, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|"container":"[^"]/.test(text)
}

/** An error when the expression cannot be read, as the suite expects of parsers. */
function runPlain(test: SimpleTest): unknown {
  try {
    const bindings = Object.fromEntries(
      Object.entries(test.bindings).map(([name, { kind }]) => [
        name,
        kind.case === 'value' ? fromSpec(kind.value) : undefined,
      ]),
    )
    return plan(environment, parse(test.expr))(bindings as never)
  } catch (error) {
    return error
  }
}

/** Undefined when the checker refuses the expression. */
function runChecked(test: SimpleTest): unknown {
  const expression = compileExpression(test.expr, 'request', { refuse() {}, warn() {} })
  return expression?.evaluate(begin(compile({})).scope)
}

function isRight(test: SimpleTest, result: unknown): boolean {
  const { resultMatcher } = test
  if (resultMatcher.case === 'evalError' || resultMatcher.case === 'anyEvalErrors') return result instanceof Error
  if (result instanceof Error || isCelError(result)) return false
  const expected =
    resultMatcher.case === 'value'
      ? tagged(resultMatcher.value)
      : resultMatcher.case === 'typedResult'
        ? tagged(resultMatcher.value.result)
        : 'bool:true'
  return taggedResult(result as CelValue) === expected
}

function fromSpec({ kind }: Value): CelInput {
  if (kind.case === 'uint64Value') return celUint(kind.value)
  if (kind.case === 'nullValue') return null
  if (kind.case === 'listValue') return kind.value.values.map(fromSpec)
  if (kind.case === 'mapValue') {
    return new Map(
      kind.value.entries.map(({ key, value }) => [fromSpec(key as Value) as string, fromSpec(value as Value)]),
    )
  }
  if (kind.case === 'objectValue') return anyUnpack(kind.value, registry) as CelInput
  return kind.value as CelInput
}

function tagged(value: Value | undefined): string {
  const kind = value?.kind
  if (!kind) return 'nothing'
  if (kind.case === 'typeValue') return `type:${kind.value}`
  if (kind.case === 'listValue') return `[${kind.value.values.map(tagged).join(',')}]`
  if (kind.case === 'mapValue') {
    const entries = kind.value.entries.map(({ key, value: item }) => `${tagged(key)}=${tagged(item)}`)
    return `{${entries.sort().join(',')}}`
  }
  if (kind.case === 'objectValue') return taggedMessage(anyUnpack(kind.value, registry))
  return taggedResult(fromSpec(value) as CelValue)
}

function taggedMessage(message: Message | undefined): string {
  if (!message) return 'unknown message'
  return `message:${toJsonString(message.$typeName === TimestampSchema.typeName ? TimestampSchema : DurationSchema, message as never)}`
}

function taggedResult(value: CelValue): string {
  if (value === null) return 'null'
  if (typeof value === 'bigint') return `int:${value}`
  if (typeof value === 'number') return `double:${Object.is(value, -0) ? '-0' : value}`
  if (typeof value === 'boolean') return `bool:${value}`
  if (typeof value === 'string') return `string:${value}`
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('hex')}`
  if (isCelUint(value)) return `uint:${value.value}`
  if (isCelType(value)) return `type:${value.name}`
  if (isCelList(value)) return `[${[...value].map(taggedResult).join()}]`
  if (isCelMap(value))
    return `{${[...value]
      .map(([key, item]) => `${taggedResult(key)}=${taggedResult(item)}`)
      .sort()
      .join()}}`
  if (!isReflectMessage(value)) return 'unknown'
  return taggedMessage(value.message)
}
