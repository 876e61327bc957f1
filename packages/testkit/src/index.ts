export { freePort, untilListening } from './free-port.ts'
export { type HttpUpstream, randomPageHash, startHttpUpstream } from './http-upstream.ts'
export { type ImportRules, importBreaches } from './import-directions.ts'
export { hasPrograms } from './names/has-programs.ts'
export { loopbackAddress } from './names/loopback-address.ts'
export { type Pebble, type PebbleOptions, startPebble } from './names/pebble.ts'
export { type RunningUnbound, startNameServer, startRecursor } from './names/unbound.ts'
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
export { type Account } from './product/api-account.ts'
export { type Program, fromSource } from './product/programs.ts'
export { type AgentOptions, type RunningAgent, type TunnelRecord, startAgent } from './product/running-agent.ts'
export { type RunningService, type ServiceOptions, type ServicePorts, startService } from './product/running-service.ts'
export { type BadPublicKey, badPublicKeys } from './openssh/bad-public-keys.ts'
export { askSshKeygen, hasOpenSsh, sshKeygen } from './openssh/ssh-keygen.ts'
export { type SshLogin, type SshLoginResult, sshLogin } from './openssh/ssh-login.ts'
export { type SshServer, type SshServerOptions, startSshServer } from './openssh/ssh-server.ts'
