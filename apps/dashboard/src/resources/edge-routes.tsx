import { ResourceForm } from '../resource/resource-form.tsx'
import { commonFields, type FieldSpec } from '../resource/resource-view.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { HttpsEdge, Route } from './edges.tsx'
import { RouteModule } from './route-module.tsx'

const routeFields: readonly FieldSpec[] = [
  {
    kind: 'choice',
    name: 'match_type',
    label: 'Match',
    isRequired: true,
    options: [
      { id: 'path_prefix', label: 'Paths that begin with' },
      { id: 'exact_path', label: 'Exactly the path' },
    ],
  },
  { kind: 'text', name: 'match', label: 'Path', isRequired: true, hint: 'Such as / or /api/. The longest match wins.' },
  ...commonFields,
]

/** The routes of one edge, each with its backend and its IP restriction. */
export function EdgeRoutes({ edge }: { readonly edge: HttpsEdge }) {
  const path = `/edges/https/${edge.id}/routes`
  return (
    <section>
      <header className="page-header">
        <h2>Routes</h2>
        <Dialog title="New route" trigger={<Button look="primary">New route</Button>}>
          {(close) => (
            <ResourceForm
              fields={routeFields}
              method="POST"
              path={path}
              source={null}
              submitLabel="Add route"
              onDone={close}
              onCancel={close}
            />
          )}
        </Dialog>
      </header>
      <DataTable
        label="Routes"
        items={edge.routes}
        columns={[
          {
            id: 'match',
            title: 'Path',
            text: (route) => `${route.match}${route.match_type === 'path_prefix' ? '*' : ''}`,
          },
          {
            id: 'backend',
            title: 'Backend',
            text: (route) => route.backend?.backend.id ?? 'none',
            cell: (route) => <RouteBackend path={path} route={route} />,
          },
          {
            id: 'restriction',
            title: 'IP restriction',
            text: restrictionText,
            cell: (route) => <RouteRestriction path={path} route={route} />,
          },
          {
            id: 'delete',
            title: 'Remove',
            text: () => '',
            cell: (route) => (
              <ConfirmDelete
                path={`${path}/${route.id}`}
                name={route.match}
                label="Remove"
                consequence="Its paths go to the next best match, or nowhere."
              />
            ),
          },
        ]}
      />
    </section>
  )
}

interface RouteProps {
  readonly path: string
  readonly route: Route
}

function RouteBackend({ path, route }: RouteProps) {
  return (
    <RouteModule
      title={`Backend of ${route.match}`}
      label={route.backend?.backend.id ?? 'Choose'}
      path={`${path}/${route.id}/backend`}
      isSet={route.backend !== null}
      source={{ enabled: route.backend?.enabled ?? true, backend_id: route.backend?.backend.id ?? '' }}
      fields={[
        {
          kind: 'text',
          name: 'backend_id',
          label: 'Backend id',
          isRequired: true,
          hint: 'Of a tunnel group, HTTP response, static, weighted or failover backend.',
        },
      ]}
    />
  )
}

function RouteRestriction({ path, route }: RouteProps) {
  return (
    <RouteModule
      title={`IP restriction of ${route.match}`}
      label={restrictionText(route)}
      path={`${path}/${route.id}/ip_restriction`}
      isSet={route.ip_restriction !== null}
      source={{ enabled: route.ip_restriction?.enabled ?? true, ip_policies: route.ip_restriction?.ip_policies ?? [] }}
      fields={[
        { kind: 'switch', name: 'enabled', label: 'Enabled', initially: true },
        {
          kind: 'reference',
          name: 'ip_policy_ids',
          label: 'IP policies',
          to: { path: '/ip_policies', listKey: 'ip_policies' },
          isMany: true,
          readFrom: 'ip_policies',
        },
      ]}
    />
  )
}

function restrictionText({ ip_restriction: restriction }: Route): string {
  if (restriction === null) return 'none'
  return restriction.enabled ? `${restriction.ip_policies.length} policies` : 'switched off'
}
