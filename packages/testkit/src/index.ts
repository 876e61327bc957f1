export { type HttpUpstream, randomPageHash, startHttpUpstream } from './http-upstream.ts'
export { type ImportRules, importBreaches } from './import-directions.ts'
export { type ProcessUsage, processTree, processUsage } from './process-usage.ts'
export {
  type ProcessExit,
  type ProcessOptions,
  type RunningProcess,
  runProcess,
  startProcess,
} from './running-process.ts'
export { type RelayOptions, type RelayTarget, type TcpRelay, startTcpRelay } from './tcp-relay.ts'
export { type TempDir, tempDir } from './temp-dir.ts'
