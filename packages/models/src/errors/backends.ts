import { defineErrors } from './definition.ts'

/** What routes forward to. */
export const backendErrors = defineErrors({
  backend_missing: {
    code: 6501,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} refers to the backend {id}, which does not exist in this account.',
  },
  backend_in_use: {
    code: 6502,
    status: 400,
    owner: 'caller',
    msg: 'The backend {id} is still used by {dependents}. Delete or change those first.',
  },
  backend_description_too_long: {
    code: 6503,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the description.',
  },
  backend_metadata_too_long: {
    code: 6504,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the metadata.',
  },
  static_address_missing: {
    code: 6505,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Give the address of the upstream as host:port.',
  },
  static_address_invalid: {
    code: 6506,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Write host:port, such as 192.0.2.10:8080.',
  },
  labels_too_many: {
    code: 6508,
    status: 400,
    owner: 'caller',
    msg: 'A tunnel group has {max} labels at most; this one has {count}.',
  },
  label_key_length: {
    code: 6509,
    status: 400,
    owner: 'caller',
    msg: 'The key of the label "{key}" must be 1 to {max} bytes long.',
  },
  label_value_length: {
    code: 6510,
    status: 400,
    owner: 'caller',
    msg: 'The value of the label "{key}" must be 1 to {max} bytes long.',
  },
  weighted_backends_too_many: {
    code: 6511,
    status: 400,
    owner: 'caller',
    msg: 'A weighted backend has {max} backends at most; this one has {count}.',
  },
  failover_backends_too_many: {
    code: 6513,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Use fewer backends.',
  },
  response_body_too_large: {
    code: 6516,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Serve larger answers from a program behind a tunnel.',
  },
  response_status_invalid: {
    code: 6517,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Choose a status of 200 to 599.',
  },
  response_header_name_invalid: {
    code: 6522,
    status: 400,
    owner: 'caller',
    msg: 'The header name "{name}" is not valid. Use 1 to {max} letters, digits and -.',
  },
  response_header_value_invalid: {
    code: 6523,
    status: 400,
    owner: 'caller',
    msg: 'The value of the header {name} is not valid. Use {max} bytes at most, without control characters.',
  },
  response_header_of_connection: {
    code: 90_304,
    status: 400,
    owner: 'caller',
    msg: 'The header {name} is about the connection and not about the answer. Leave it out.',
  },
  backend_nested_in_weighted: {
    code: 6524,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds {id}. A weighted backend takes tunnel group, HTTP response and static backends.',
  },
  backend_nested_in_failover: {
    code: 6525,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds {id}. A failover backend takes tunnel group, HTTP response, static and weighted backends.',
  },
  label_with_equals: {
    code: 6531,
    status: 400,
    owner: 'caller',
    msg: 'The label "{key}" holds "=", which separates key and value. Leave it out.',
  },
})
