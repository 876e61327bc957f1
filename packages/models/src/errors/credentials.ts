import { defineErrors } from './definition.ts'

/** API keys, authtokens, SSH public keys, and who owns them. */
export const credentialErrors = defineErrors({
  acl_rule_invalid: {
    code: 600,
    status: 400,
    owner: 'caller',
    msg: 'The ACL rule "{rule}" is not valid. Use *, bind:NAME, bind:*.NAME, bind:HOST:PORT or bind:LABEL=VALUE.',
  },
  credential_description_too_long: {
    code: 604,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the description.',
  },
  credential_metadata_too_long: {
    code: 605,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the metadata.',
  },
  credential_patch_empty: {
    code: 606,
    status: 400,
    owner: 'caller',
    msg: 'The request changes nothing. Send at least one of {supported}.',
  },
  ssh_credential_key_taken: {
    code: 609,
    status: 400,
    owner: 'caller',
    msg: 'This SSH public key is stored already. Use that one, or another key.',
  },
  ssh_credential_key_taken_by_other: {
    code: 610,
    status: 400,
    owner: 'caller',
    msg: 'This SSH public key belongs to another account. Use another key.',
  },
  ssh_credential_key_missing: {
    code: 611,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Send the public key as one authorized_keys line.',
  },
  ssh_credential_key_unparsable: {
    code: 612,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Send an OpenSSH public key as one authorized_keys line.',
  },
  owner_needs_admin: {
    code: 630,
    status: 403,
    owner: 'caller',
    msg: 'Only an account holder may set another owner. Leave owner_id out, or use a key that belongs to a person.',
  },
  owner_unknown: {
    code: 634,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} names the owner {id}, which does not exist in this account. Give the id of a bot user, or leave it out.',
  },
  owner_inactive: {
    code: 636,
    status: 403,
    owner: 'caller',
    msg: 'The bot user {ownerId}, who owns this key or authtoken, is inactive. Set it active to use what it owns.',
  },
  bot_user_name_missing: {
    code: 4109,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Give the bot user a name.',
  },
  bot_user_name_too_long: {
    code: 4110,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Choose a shorter name.',
  },
  bot_user_needs_admin: {
    code: 4111,
    status: 403,
    owner: 'caller',
    msg: 'Only an account holder may manage bot users. Use a key that belongs to a person.',
  },
  bot_user_name_taken: {
    code: 4112,
    status: 400,
    owner: 'caller',
    msg: 'A bot user named "{value}" exists already. Choose another name.',
  },
})
