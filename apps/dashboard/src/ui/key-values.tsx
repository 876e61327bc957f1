import { Button } from './button.tsx'
import { Choice, TextField } from './field.tsx'

export type Pairs = readonly (readonly [key: string, value: string])[]

interface Props {
  readonly legend: string
  readonly pairs: Pairs
  readonly onChange: (pairs: Pairs) => void
  readonly keyName?: string
  /** What a key may be; anything without. */
  readonly keyOptions?: readonly { readonly id: string; readonly label: string }[]
  readonly valueName?: string
}

/** Editor for a map such as labels or headers. */
export function KeyValues({ legend, pairs, onChange, keyName = 'Name', keyOptions, valueName = 'Value' }: Props) {
  const replace = (index: number, pair: Pairs[number]) => onChange(pairs.map((old, at) => (at === index ? pair : old)))
  return (
    <fieldset className="pairs">
      <legend>{legend}</legend>
      {pairs.map(([key, value], index) => (
        <div key={index} className="pair">
          {keyOptions === undefined ? (
            <TextField label={keyName} value={key} onChange={(next) => replace(index, [next, value])} />
          ) : (
            <Choice
              label={keyName}
              value={key}
              onChange={(next) => replace(index, [next, value])}
              options={keyOptions}
            />
          )}
          <TextField label={valueName} value={value} onChange={(next) => replace(index, [key, next])} />
          <Button
            look="quiet"
            aria-label={`Remove ${key}`}
            onPress={() => onChange(pairs.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onPress={() => onChange([...pairs, ['', '']])}>Add</Button>
    </fieldset>
  )
}

export function toMap(pairs: Pairs): Record<string, string> {
  return Object.fromEntries(pairs.filter(([key]) => key !== ''))
}
