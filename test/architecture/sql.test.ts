import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const layersWithoutSql = ['domain', 'application', 'http'];

/** Calls that run a statement through `Database` or TypeORM's manager, and texts that are a statement. */
const statement =
  /\.(?:query|queryOutsideTransaction)\s*(?:<[^()]*>)?\(|\.manager\b|[`'"]\s*(?:SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|WITH \w+ AS)\b/;

function linesWithSql(source: string): string[] {
  return source.split('\n').filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line) && statement.test(line));
}

function filesOf(layer: string): string[] {
  return readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = join('src', name, layer);
      try {
        return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
      } catch {
        return [];
      }
    })
    .filter((file) => file.endsWith('.ts'));
}

describe('SQL is in infrastructure and the platform only', () => {
  test.each(layersWithoutSql)('no file of a %s folder has any', (layer) => {
    const files = filesOf(layer);
    expect(files.length).toBeGreaterThan(5);
    const found = files.flatMap((file) => linesWithSql(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`));
    expect(found).toEqual([]);
  });

  test.each([
    "await this.database.query('DELETE FROM account WHERE id = $1', [id]);",
    'const { rows } = await this.database.query<{ id: string }>(',
    'const { rows } = await this.database.query<Row & { [column: string]: unknown }>(select, [',
    'await this.database.queryOutsideTransaction(',
    'this.database.manager.find(userSchema)',
    'const select = `SELECT id FROM account`;',
    "const removal = 'DELETE FROM account';",
    '  `WITH due AS (',
  ])('is found in %s', (line) => expect(linesWithSql(`class Planted {\n${line}\n}`)).toEqual([line]));

  test.each([
    'const { state } = request.query;',
    'findUsers(@Query() query: UserListQuery) {',
    '  // SELECT … FOR UPDATE is what the repository does.',
    "message('Select a patient')",
  ])('is not seen in %s', (line) => expect(linesWithSql(line)).toEqual([]));
});
