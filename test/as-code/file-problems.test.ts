import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';

const client =
  'clients:\n  - clientId: app\n    clientName: App\n    clientType: StandaloneApp\n    requireClientSecret: false\n';
const valid = `version: 1\n${client}    redirectUris: [https://app.example/cb]\n`;
const userOf = (claims: string) =>
  `version: 1\nusers:\n  - email: ann@example.org\n    userType: Patient\n    claims: ${claims}\n`;

describe('a file that is wrong', () => {
  let portal: AsCodePortal;

  beforeAll(async () => {
    portal = await startAsCodePortal({
      config: {
        fhir: {
          tenants: [
            { id: 'north', name: 'North', baseUrl: 'https://north.example/fhir', credentials: { type: 'none' } },
          ],
        },
      },
    });
    const user = { fullName: 'Ann Example', email: 'ann@example.org', userType: 'Patient' };
    await portal.api
      .post('/api/admin/user')
      .send({ ...user, claims: [{ name: 'fhirUser', value: 'Patient/1' }] })
      .expect(201);
  });
  afterAll(() => portal.close());

  const counted = () => portal.query('SELECT (SELECT count(*) FROM client) + (SELECT count(*) FROM tag) AS objects');

  test.each<[title: string, file: string, problems: string[]]>([
    ['no mapping', '- 1\n', ['1:1  This must have members, such as version.']],
    ['nothing', '', ['1:1  This must have members, such as version.']],
    ['another version', 'version: 2\n', ['1:10  version: The version of the file must be 1.']],
    ['no version', 'tags: []\n', ['1:1  version: The version of the file must be 1.']],
    ['a misspelt section', `${valid}client: []\n`, ['8:1  client: There is no such key. Did you mean clients?']],
    [
      'a misspelt setting',
      `${valid}    requirePKCE: true\n`,
      ['8:5  clients.0.requirePKCE: There is no such key. Did you mean requirePkce?'],
    ],
    ['a key that appears twice', `${valid}version: 1\n`, ['8:1  The key version appears twice.']],
    [
      'several keys that appear twice, also within an entry',
      `${valid}    clientName: Other\nclients: []\n`,
      ['8:5  The key clientName appears twice.', '9:1  The key clients appears twice.'],
    ],
    ['an unknown tag of YAML', 'version: !!js/function 1\n', ['1:10  Unresolved tag: tag:yaml.org,2002:js/function']],
    [
      'a line of text before the first key, and report no key after it',
      `Some text.\n# A comment.\n${valid}`,
      ['3:1  Unexpected scalar token in YAML stream: "version"'],
    ],
    ['several documents', `${valid}---\n${valid}`, ['8:1  The file must be a single document.']],
    ['a section that is no list', 'version: 1\nclients:\n', ['2:1  clients: This must be a list; [] is an empty one.']],
    [
      'an entry without members',
      'version: 1\nclients: [app]\n',
      ['2:11  clients.0: This must have members, such as clientId.'],
    ],
    [
      'settings of another kind of value, and a missing address',
      `version: 1\n${client}    requirePkce: 'yes'\n    refreshTokenLifetime: 90\n`,
      [
        '3:5  clients.0.redirectUris: Please provide at least one Redirect URI',
        '7:18  clients.0.requirePkce: Only true or false is allowed',
        '8:27  clients.0.refreshTokenLifetime: Only text is allowed',
      ],
    ],
    [
      'values of another type, which are also too long for a text',
      `${valid.replace('clientId: app', 'clientId: 12').replace('clientName: App', 'clientName: [App]')}    postLogoutRedirectUris: x\n`,
      [
        '3:15  clients.0.clientId: Only text is allowed',
        '4:5  clients.0.clientName: Only text is allowed',
        '8:29  clients.0.postLogoutRedirectUris: Only a list is allowed',
      ],
    ],
    [
      'a rule of the form',
      `version: 1\n${client}`,
      ['3:5  clients.0.redirectUris: Please provide at least one Redirect URI'],
    ],
    [
      'an address among others, after a blank one',
      `version: 1\n${client}    redirectUris:\n      - https://app.example/cb\n      - ''\n      - no address\n`,
      ['10:9  clients.0.redirectUris.2: Please enter a valid value'],
    ],
    [
      'a client without a type',
      valid.replace('    clientType: StandaloneApp\n', ''),
      ['3:5  clients.0.clientType: Please choose a valid client type'],
    ],
    [
      'two clients of one id',
      `${valid}${client.replace('clients:\n', '')}    redirectUris: [https://a.example/]\n`,
      ['8:15  clients.1.clientId: Another client of the file has this client id.'],
    ],
    [
      'a secret in the file itself',
      'version: 1\nclients:\n  - clientId: feed\n    clientName: Feed\n    clientType: BackendService\n    clientSecrets:\n      - secretType: SharedSecret\n        secret: hunter2hunter2\n',
      [
        '8:17  clients.0.clientSecrets.0.secret: Name the secret by env:NAME or file:PATH; its value does not belong in this file.',
      ],
    ],
    [
      'a variable that is not set, and a file that does not exist',
      'version: 1\nclients:\n  - clientId: feed\n    clientName: Feed\n    clientType: BackendService\n    clientSecrets:\n      - secretType: SharedSecret\n        secret: env:NOT_SET\n      - secretType: SharedSecret\n        secret: file:secrets/none\n',
      [
        '8:17  clients.0.clientSecrets.0.secret: The environment variable NOT_SET is not set.',
        '10:17  clients.0.clientSecrets.1.secret: The file secrets/none does not exist.',
      ],
    ],
    [
      'a tag without its color, whose key is misspelt',
      "version: 1\ntags:\n  - value: pilot\n    colour: '#1D6FB8'\n",
      ['3:5  tags.0.color: Field is required', '4:5  tags.0.colour: There is no such key. Did you mean color?'],
    ],
    [
      'a tag that does not exist',
      `version: 1\ntags:\n  - value: pilot\n    color: '#1D6FB8'\n${client}    redirectUris: [https://app.example/cb]\n    clientTags: [pilots]\n`,
      ['11:18  clients.0.clientTags.0: There is no such tag. Did you mean pilot?'],
    ],
    [
      'a wrong colour',
      'version: 1\ntags:\n  - value: pilot\n    color: blue\n',
      ['4:12  tags.0.color: Color must start with "#".'],
    ],
    [
      'tags that differ in case only',
      "version: 1\ntags:\n  - {value: Pilot, color: '#1D6FB8'}\n  - {value: pilot, color: '#1D6FB8'}\n",
      ['4:13  tags.1.value: Another tag of the file has this value.'],
    ],
    [
      'a user who does not exist',
      'version: 1\nusers:\n  - email: bob@example.org\n    userType: Patient\n    claims: []\n',
      ['3:5  users.0: There is no such user, or it is an administrator. A file does not make accounts.'],
    ],
    [
      'a user without the record that the type needs',
      userOf('[]'),
      ['5:5  users.0.claims: The fhirUser claim is mandatory'],
    ],
    [
      'a claim of a record of another type',
      userOf('[{name: fhirUser, value: Practitioner/1}]'),
      ["5:38  users.0.claims.0.value: The 'fhirUser' claim must point to resource matching Patient type."],
    ],
    [
      'a user with two names',
      'version: 1\nusers:\n  - {email: a@b.example, issuer: x, userType: Patient, claims: []}\n',
      ['3:5  users.0: Name the user by email, or by issuer and subject if the account belongs to another provider.'],
    ],
    [
      'another tenant than the portal has',
      `${valid}tenants:\n  - id: north\n    name: Northern\n    baseUrl: https://north.example/fhir\n`,
      ['9:5  tenants.0: The tenant north differs from the configuration of the portal, which apply does not change.'],
    ],
    [
      'an alias of nothing before it',
      'version: 1\nclients: [*app, &app {}, *app]\n',
      ['2:11  There is no anchor &app before this alias.'],
    ],
    ['aliases that repeat themselves', 'version: 1\nx: &a [&b [*a, *a]]\n', ['1:1  It is nested too deeply.']],
    [
      'aliases that multiply (billion laughs)',
      `version: 1\n${'abcdefghi'
        .split('')
        .map(
          (name, index, all) =>
            `${name}: &${name} [${Array(9)
              .fill(index === 0 ? 'x' : `*${all[index - 1]}`)
              .join(', ')}]\n`,
        )
        .join('')}`,
      ['1:1  Its aliases (*name) repeat too much.'],
    ],
  ])('is refused by plan and apply with the place of each problem: %s', async (_, file, problems) => {
    const before = await counted();
    const found = async (work: Promise<string>) => {
      const error = await work.then(
        (text) => new Error(`not refused: ${text}`),
        (reason: Error) => reason,
      );
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.replace(/^.*?\.yaml:/, ''));
    };
    expect(await found(portal.apply(file))).toEqual(problems);
    if (!file.includes('Northern')) expect(await found(portal.plan(file))).toEqual(problems);
    expect(await counted()).toEqual(before);
  });

  test('names every problem of every entry, in the order of the file, and changes nothing', async () => {
    const file = `version: 1
tags:
  - { value: '', color: '#1D6FB8' }
clients:
  - clientId: right
    clientName: Right
    clientType: StandaloneApp
    requireClientSecret: false
    redirectUris: [https://right.example/cb]
  - clientId: wrong id
    clientType: StandaloneApp
    requireClientSecret: false
    redirectUri: https://wrong.example/cb
    accessTokenLifetime: soon
users:
  - email: ann@example.org
    userType: Nurse
    claims: []
`;
    const error = await portal.apply(file).catch((reason: Error) => reason.message);
    const lines = String(error).split('\n');
    expect(lines[0]).toMatch(/portal-\d+\.yaml has 7 problems\. Nothing was changed\.$/);
    expect(
      lines.slice(1).map((line) => line.replace(/^.*?\.yaml:/, '').replace(/(\d+:\d+ {2}[^:]*):.*/, '$1')),
    ).toEqual([
      '3:14  tags.0.value',
      '10:5  clients.1.clientName',
      '10:5  clients.1.redirectUris',
      '10:15  clients.1.clientId',
      '13:5  clients.1.redirectUri',
      '14:26  clients.1.accessTokenLifetime',
      '17:15  users.0.userType',
    ]);
    expect(await counted()).toEqual([{ objects: '0' }]);
  });

  test('is refused if it is not UTF-8', async () => {
    for (const bytes of [Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]), Buffer.from('version: 1', 'utf16le')]) {
      await expect(portal.plan(bytes)).rejects.toThrow('The file is not UTF-8.');
    }
  });
});
