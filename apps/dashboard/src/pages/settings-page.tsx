import { useState } from 'react'
import { Form } from 'react-aria-components'
import { usePasswordChange, useSignInState, useSignOut, useSignOutEverywhere } from '../api/sign-in.ts'
import { Button } from '../ui/button.tsx'
import { Details } from '../ui/details.tsx'
import { Choice, TextField } from '../ui/field.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'

export function SettingsPage() {
  const { data } = useSignInState()
  const signOut = useSignOut()
  const signOutEverywhere = useSignOutEverywhere()
  return (
    <Page title="Settings">
      <Details
        rows={[
          ['Account', data?.account?.email],
          ['Id', <code key="id">{data?.account?.id}</code>],
        ]}
      />
      <section className="card">
        <h2>Appearance</h2>
        <ThemeChoice />
      </section>
      <section className="card">
        <h2>Password</h2>
        <PasswordForm />
      </section>
      <section className="card">
        <h2>Sign out</h2>
        <ErrorNotice error={signOut.error ?? signOutEverywhere.error} />
        <div className="actions">
          <Button onPress={() => signOut.mutate()}>Sign out here</Button>
          <Button look="danger" onPress={() => signOutEverywhere.mutate()}>
            Sign out everywhere
          </Button>
        </div>
      </section>
    </Page>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState(() => localStorage.getItem('theme') ?? 'system')
  const choose = (next: string) => {
    setTheme(next)
    localStorage.setItem('theme', next)
    if (next === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = next
  }
  return (
    <Choice
      label="Theme"
      value={theme}
      onChange={choose}
      options={[
        { id: 'system', label: 'As the system' },
        { id: 'light', label: 'Light' },
        { id: 'dark', label: 'Dark' },
      ]}
    />
  )
}

function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = usePasswordChange()
  const submit = () =>
    change.mutate({ current_password: current, new_password: next }, { onSuccess: () => (setCurrent(''), setNext('')) })
  return (
    <Form onSubmit={(event) => (event.preventDefault(), submit())}>
      <TextField
        label="Current password"
        type="password"
        value={current}
        onChange={setCurrent}
        autoComplete="current-password"
        isRequired
      />
      <TextField
        label="New password"
        type="password"
        value={next}
        onChange={setNext}
        autoComplete="new-password"
        hint="At least 12 characters."
        isRequired
      />
      <ErrorNotice error={change.error} />
      {change.isSuccess && <Notice look="info">The password is changed. Other sign-ins have ended.</Notice>}
      <Button type="submit" look="primary" isPending={change.isPending}>
        Change password
      </Button>
    </Form>
  )
}
