import type { ResourceModel } from '@tunnel/models'
import type { FastifyRequest } from 'fastify'
import type { CallReader } from '../../api/caller.ts'

/** The paths of a resource type as the router writes them, and the names of the ids in them. */
export function pathsOf({ path }: ResourceModel): { collection: string; item: string; pathIds: string[] } {
  const collection = path.replace(/\{(\w+)\}/, ':$1')
  const parent = parentParameter(path)
  return { collection, item: `${collection}/:id`, pathIds: parent === undefined ? ['id'] : ['id', parent] }
}

/** Reads requests below the paths of a resource type: a nested one belongs to the resource that the path names. */
export function callWithin({ path }: ResourceModel, callOf: CallReader): CallReader {
  const parent = parentParameter(path)
  if (parent === undefined) return callOf
  return (request) => ({ ...callOf(request), parentId: (request.params as Record<string, string>)[parent] ?? '' })
}

/** The id at the end of an item's path. */
export function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

function parentParameter(path: string): string | undefined {
  return /\{(\w+)\}/.exec(path)?.[1]
}
