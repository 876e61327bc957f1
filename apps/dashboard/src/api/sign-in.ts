import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { signInTransport } from './client.ts'

/** Who is signed in. `first_account_needed` is true until the first account exists. */
export interface SignInState {
  readonly account: { readonly id: string; readonly email: string } | null
  readonly first_account_needed: boolean
  /** Where agents connect to; for those who are signed in. */
  readonly connect_url?: string
}

const path = '/dashboard/session'

export const signInQuery = queryOptions({ queryKey: [path], queryFn: () => send('GET', path) })

export function useSignInState() {
  return useQuery(signInQuery)
}

async function send(method: string, target: string, body?: unknown): Promise<SignInState> {
  return (await signInTransport.send(method, target, body)) as SignInState
}

function useSessionChange<Body = void>(method: string, target: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Body) => send(method, target, body ?? undefined),
    onSuccess: async () => {
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== path })
      await client.invalidateQueries({ queryKey: [path] })
    },
  })
}

export const useSignIn = () => useSessionChange<{ email: string; password: string }>('POST', path)
export const useSignOut = () => useSessionChange('DELETE', path)
export const useSignOutEverywhere = () => useSessionChange('DELETE', '/dashboard/sessions')
export const useFirstAccount = () =>
  useSessionChange<{ email: string; password: string; setup_token: string }>('POST', '/dashboard/first_account')
export const usePasswordChange = () =>
  useSessionChange<{ current_password: string; new_password: string }>('POST', '/dashboard/password')
