import { type HttpsEdge, type HttpsEdgeRoute, routeModuleNames } from '@tunnel/models'
import { api } from '../api/client.ts'
import { ApiCommand } from '../resource/api-command.tsx'
import { ResourceForm } from '../resource/resource-form.tsx'
import { commonFields, type FieldSpec } from '../resource/resource-view.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDelete } from '../ui/confirm-delete.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty } from '../ui/empty.tsx'
import { ModuleList } from './module-list.tsx'

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

const firstRoute = { fields: () => ({ match_type: 'path_prefix', match: '/' }) }

/** The routes of one edge, each with its backend and its other modules. */
export function EdgeRoutes({ edge }: { readonly edge: HttpsEdge }) {
  const routes = api.routesOf(edge.id)
  return (
    <section>
      <header className="page-header">
        <h2>Routes</h2>
        <Dialog title="New route" trigger={<Button look="primary">New route</Button>}>
          {(close) => (
            <ResourceForm
              fields={routeFields}
              source={{ match_type: 'path_prefix', match: '/' }}
              save={(body) => routes.create(body as unknown as Parameters<typeof routes.create>[0])}
              submitLabel="Add route"
              onDone={close}
              onCancel={close}
            />
          )}
        </Dialog>
      </header>
      {edge.routes.length === 0 && (
        <Empty title="No route yet">
          <p>Every request gets an error until there is one. Add a route, then set its backend.</p>
          <ApiCommand path={routes.path} example={firstRoute} />
        </Empty>
      )}
      {edge.routes.map((route) => (
        <RouteCard key={route.id} route={route} />
      ))}
    </section>
  )
}

function RouteCard({ route }: { readonly route: HttpsEdgeRoute }) {
  const routes = api.routesOf(route.edge_id)
  const name = `${route.match}${route.match_type === 'path_prefix' ? '*' : ''}`
  return (
    <article className="card" aria-label={`Route ${name}`}>
      <header className="page-header">
        <h3>
          <code>{name}</code> <span className="muted">{route.description}</span>
        </h3>
        <div className="actions">
          <Dialog title={`Edit ${name}`} trigger={<Button aria-label={`Edit the route ${name}`}>Edit</Button>}>
            {(close) => (
              <ResourceForm
                fields={routeFields}
                source={route}
                isPatch
                save={(body) => routes.update(route.id, body)}
                submitLabel="Save"
                onDone={close}
                onCancel={close}
              />
            )}
          </Dialog>
          <ConfirmDelete
            remove={() => routes.delete(route.id)}
            name={route.match}
            label="Remove"
            consequence="Its paths go to the next best match, or nowhere."
          />
        </div>
      </header>
      <ModuleList
        of={name}
        names={routeModuleNames}
        holder={route}
        calls={api.modulesOfRoute(route.edge_id, route.id)}
      />
    </article>
  )
}
