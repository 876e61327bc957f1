const rules = [
  ['bind:app.example.com', 'exactly this name'],
  ['bind:*.example.com', 'every name below, at any depth, and the wildcard itself'],
  ['bind:site=a', 'labelled tunnels with this label'],
  ['bind:site=*', 'labelled tunnels with this key'],
  ['*', 'everything, like no rule at all'],
] as const

export function AclHelp() {
  return (
    <section>
      <h2>Forms of a rule</h2>
      <dl className="details">
        {rules.map(([rule, meaning]) => (
          <div key={rule}>
            <dt>
              <code>{rule}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
