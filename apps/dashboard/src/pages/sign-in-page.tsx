import { useState } from 'react'
import { Form } from 'react-aria-components'
import { useSignIn } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'

export function SignInPage() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useSignIn()
  return (
    <main className="narrow">
      <h1>Sign in</h1>
      <Form onSubmit={(event) => (event.preventDefault(), signIn.mutate({ email, password }))}>
        <TextField label="E-mail" type="email" value={email} onChange={setEmail} autoComplete="username" isRequired />
        <TextField
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          isRequired
        />
        <ErrorNotice error={signIn.error} />
        <Button look="primary" type="submit" isPending={signIn.isPending}>
          Sign in
        </Button>
      </Form>
    </main>
  )
}
