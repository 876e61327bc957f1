import { defineErrors } from './definition.ts'

/** People who sign in, created by the command line. */
export const accountErrors = defineErrors({
  account_email_invalid: {
    code: 90_100,
    status: 400,
    owner: 'caller',
    msg: 'The e-mail address "{email}" is not valid. Give one of the form name@host.',
  },
  account_email_taken: {
    code: 90_101,
    status: 400,
    owner: 'caller',
    msg: 'An account with the e-mail address {email} exists already.',
  },
  account_unknown: {
    code: 90_102,
    status: 404,
    owner: 'caller',
    msg: 'No account "{account}" exists. Create it with: account create --email {account}.',
  },
  account_password_too_short: {
    code: 90_103,
    status: 400,
    owner: 'caller',
    msg: 'The password is too short. Choose one of at least {min} characters.',
  },
  sign_in_refused: {
    code: 90_110,
    status: 403,
    owner: 'caller',
    msg: 'E-mail address or password are wrong.',
  },
  sign_in_needed: {
    code: 90_111,
    status: 403,
    owner: 'caller',
    msg: 'The sign-in has ended. Sign in again.',
  },
  sign_in_throttled: {
    code: 90_112,
    status: 429,
    owner: 'caller',
    retryable: true,
    msg: 'Too many failed attempts. Try again in {minutes} minutes.',
  },
  sign_in_foreign_origin: {
    code: 90_113,
    status: 403,
    owner: 'caller',
    msg: 'This request was sent by another site. Open the dashboard itself and try there.',
  },
  first_account_exists: {
    code: 90_114,
    status: 400,
    owner: 'caller',
    msg: 'This service has an account already. Sign in, or create further ones with: account create --email E',
  },
  setup_token_wrong: {
    code: 90_115,
    status: 403,
    owner: 'caller',
    msg: 'The set-up token is wrong. It is in the log of the service; on the machine itself none is needed.',
  },
})
