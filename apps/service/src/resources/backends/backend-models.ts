import {
  failoverBackendModel,
  httpResponseBackendModel,
  staticBackendModel,
  tunnelGroupBackendModel,
  weightedBackendModel,
} from '@tunnel/models'

/** Backends that answer by themselves. */
export const leafBackendModels = [tunnelGroupBackendModel, httpResponseBackendModel, staticBackendModel] as const

/** Everything that a route or edge can forward to. */
export const backendModels = [...leafBackendModels, weightedBackendModel, failoverBackendModel] as const
