import { useState } from 'react'
import { Form } from 'react-aria-components'
import { useFirstAccount } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'

/** Creates the account that owns this service. Shown only while there is none. */
export function FirstAccountPage() {
  const [values, setValues] = useState({ email: '', password: '', setup_token: '' })
  const create = useFirstAccount()
  const set = (name: keyof typeof values) => (value: string) => setValues((old) => ({ ...old, [name]: value }))
  return (
    <main className="narrow">
      <h1>Create the first account</h1>
      <p>This service has no account yet. The one that you create now manages everything.</p>
      <Form onSubmit={(event) => (event.preventDefault(), create.mutate(values))}>
        <TextField
          label="E-mail"
          type="email"
          value={values.email}
          onChange={set('email')}
          autoComplete="username"
          isRequired
        />
        <TextField
          label="Password"
          type="password"
          value={values.password}
          onChange={set('password')}
          autoComplete="new-password"
          hint="At least 12 characters."
          isRequired
        />
        <TextField
          label="Set-up token"
          value={values.setup_token}
          onChange={set('setup_token')}
          autoComplete="off"
          hint="Printed in the log of the service. Not needed on the machine itself."
        />
        <ErrorNotice error={create.error} />
        <Button look="primary" type="submit" isPending={create.isPending}>
          Create account
        </Button>
      </Form>
    </main>
  )
}
