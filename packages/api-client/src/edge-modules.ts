import type { EdgeModuleName, EdgeModuleReply, EdgeModuleWrite } from '@tunnel/models'
import type { Transport } from './transport.ts'

/** The modules of one edge or route. */
export class EdgeModules<Names extends EdgeModuleName> {
  readonly #transport: Transport
  readonly #path: string

  constructor(transport: Transport, path: string) {
    this.#transport = transport
    this.#path = path
  }

  /** Replaces the whole module; fields that are left out take their defaults. */
  async replace<N extends Names>(name: N, module: EdgeModuleWrite<N>): Promise<EdgeModuleReply<N>> {
    return (await this.#transport.send('PUT', `${this.#path}/${name}`, module)) as EdgeModuleReply<N>
  }

  async get<N extends Names>(name: N): Promise<EdgeModuleReply<N>> {
    return (await this.#transport.send('GET', `${this.#path}/${name}`)) as EdgeModuleReply<N>
  }

  async remove(name: Names): Promise<void> {
    await this.#transport.send('DELETE', `${this.#path}/${name}`)
  }
}
