/** Why an update does not begin. Codes and texts are stable: fleets look for them. */
const updateRefusals = {
  no_update_available: 'no update is available',
  update_checks_disabled: 'update checks are disabled in the configuration of this agent',
  update_in_progress: 'an update is in progress',
  update_pending_restart: 'an update was installed already and waits for a restart',
  update_check_failed: 'the service could not be asked for an update',
  update_untrusted: 'the offered update is not signed by a key that this agent trusts',
  insufficient_disk: 'the device has not enough free space for an update',
} as const

export type UpdateRefusalCode = keyof typeof updateRefusals

export interface UpdateRefusal {
  readonly code: UpdateRefusalCode
  readonly message: string
}

/** @param detail what a person may want to know beside the stable text */
export function refuseUpdate(code: UpdateRefusalCode, detail?: string): UpdateRefusal {
  return { code, message: detail === undefined ? updateRefusals[code] : `${updateRefusals[code]}: ${detail}` }
}
