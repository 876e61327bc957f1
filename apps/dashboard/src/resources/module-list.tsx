import type { EdgeModuleName } from '@tunnel/models'
import { useChange } from '../api/queries.ts'
import { ResourceForm } from '../resource/resource-form.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { BackendNames } from './backend-name.tsx'
import { fieldsOfModule, words } from './module-fields.ts'

/** The modules of one edge or route, as the API client has them. */
export interface ModuleCalls {
  replace(name: EdgeModuleName, module: object): Promise<object>
  remove(name: EdgeModuleName): Promise<void>
}

interface Props {
  /** What the modules belong to, in words. */
  readonly of: string
  readonly names: readonly EdgeModuleName[]
  /** The edge or route; its modules by their names, null where not set. */
  readonly holder: object
  readonly calls: ModuleCalls
}

/** Single sign-on is not offered by this service; its modules exist for compatibility alone. */
const notOffered: readonly EdgeModuleName[] = ['oauth', 'oidc', 'saml']

/** Every module that an edge or route can have: whether it is set, and a form to set, change or remove it. */
export function ModuleList({ of, names, holder, calls }: Props) {
  const modules = new Map(Object.entries(holder)) as ReadonlyMap<string, ModuleReply | null>
  return (
    <ul className="modules" aria-label={`Modules of ${of}`}>
      {names
        .filter((name) => !notOffered.includes(name))
        .map((name) => (
          <Module key={name} of={of} name={name} current={modules.get(name) ?? null} calls={calls} />
        ))}
    </ul>
  )
}

interface ModuleReply {
  readonly enabled: boolean
  /** Of the module that chooses it. */
  readonly backend?: { readonly id: string }
}

interface ModuleProps extends Pick<Props, 'of' | 'calls'> {
  readonly name: EdgeModuleName
  readonly current: ModuleReply | null
}

function Module({ of, name, current, calls }: ModuleProps) {
  const change = useChange()
  const title = words(name)
  return (
    <li data-set={current !== null}>
      <strong>{title}</strong>
      <span className="muted">{current?.backend ? <BackendNames ids={[current.backend.id]} /> : summary(current)}</span>
      <Dialog
        title={`${title} of ${of}`}
        trigger={
          <Button look="quiet" aria-label={`${current === null ? 'Set' : 'Edit'} ${title} of ${of}`}>
            {current === null ? 'Set' : 'Edit'}
          </Button>
        }
      >
        {(close) => (
          <>
            <ResourceForm
              fields={fieldsOfModule(name)}
              source={current}
              save={(body) => calls.replace(name, body)}
              submitLabel="Save"
              onDone={close}
              onCancel={close}
            />
            {current !== null && (
              <Button look="danger" onPress={() => change.mutate(() => calls.remove(name), { onSuccess: close })}>
                Remove the module
              </Button>
            )}
            <ErrorNotice error={change.error} />
          </>
        )}
      </Dialog>
    </li>
  )
}

function summary(current: ModuleReply | null): string {
  if (current === null) return 'not set'
  const { enabled, ...settings } = current
  if (!enabled) return 'switched off'
  return Object.entries(settings).map(settingText).filter(Boolean).join(', ') || 'on'
}

function settingText([name, value]: [string, unknown]): string {
  if (value === null || name === 'secret') return ''
  if (Array.isArray(value)) return value.length === 0 ? '' : `${words(name)}: ${value.length}`
  if (typeof value === 'object') return `${Object.keys(value).length} ${name}`
  return `${words(name).toLowerCase()} ${JSON.stringify(value).replaceAll('"', '').slice(0, 40)}`
}
