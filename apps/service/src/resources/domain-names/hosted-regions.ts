import type { ZoneNames } from './zone-names.ts'

const hostedRegions = ['ap', 'au', 'eu', 'in', 'jp', 'sa', 'us']

/** Every name and address is served everywhere here; who names a region of the hosted product gets what they need. */
export function regionsAccepted({ region }: Pick<ZoneNames, 'region'>): readonly string[] {
  return [region, ...hostedRegions]
}
