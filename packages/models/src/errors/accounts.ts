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
    msg: 'No account "{account}" exists. Create it with: account create --email {account}',
  },
  account_password_too_short: {
    code: 90_103,
    status: 400,
    owner: 'caller',
    msg: 'The password is too short. Choose one of at least {min} characters.',
  },
})
