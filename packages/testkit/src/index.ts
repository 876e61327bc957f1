export { type ImportRules, importBreaches } from './import-directions.ts'
