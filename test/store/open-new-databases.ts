// Opens COUNT new databases in FOLDER, one each 30 ms from the time START on, as other processes do at the same moments.
import { join } from 'node:path'
import { openDatabase } from '../../server/store/database.ts'

const [folder = '', start = '', count = ''] = process.argv.slice(2)
for (let index = 0; index < Number(count); index++) {
  while (Date.now() < Number(start) + index * 30);
  openDatabase(join(folder, `${index}.db`)).close()
}
