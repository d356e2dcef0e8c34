import { Option } from 'commander'

/** `--data`, for every command that works on the data folder. */
export function dataOption(): Option {
  return new Option('--data <folder>', 'data folder: database, secrets and bundles').env('QUIRE_DATA').default('data')
}

/** `--json`, for every command whose output a program may read. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON')
}
