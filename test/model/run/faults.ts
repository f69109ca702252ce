import { type Fault, faultsOf } from './bundle.js';

const domain = faultsOf('gateway/domain');

const application = faultsOf('gateway/application');
const resources = faultsOf('contract/rules/resources');

/** What is decided outside of the rules: pages, documents, conditions and what a transaction finds. */
const ofTheApplication: readonly Fault[] = [
  ...application(
    'access/filled-pages.ts',
    ['rest: { target: page.target, skip: used }', 'rest: { target: page.target, skip: used + 1 }'],
    ['rest: { target: page.target, skip: used }', 'rest: { target: page.target, skip: 0 }'],
    ['const used = from + taken.length;', 'const used = own.matches.length;'],
  ),
  ...application('binary/binary-rights.ts', [
    'if (!isAboutPatient(named, patient, this.exchange.names)) return false;',
    '',
  ]),
  ...application('access/limited-condition.ts', ['if (match && others.length === 0) return', 'if (match) return']),
  ...application('conditional-creates.ts', ['if (name !== undefined) addresses.set', 'if (false) addresses.set']),
  ...application(
    'decisions.ts',
    ['assertCondition(fhir.parameters);\n    if (!status', 'if (!status'],
    ["token.permitsAll('*', 'rs') && !isCheckedOperation", '!isCheckedOperation'],
  ),
];

/** Mistakes in the rules of the gateway, each of which opens, tells or changes too much, or refuses too much. */
export const faults: readonly Fault[] = [
  ...ofTheApplication,
  ...domain(
    'token-permissions.ts',
    ['covers(scope, type) && scope.actions.includes(action)', 'covers(scope, type)'],
    ["return scope.type === '*' || scope.type === type;", 'return true;'],
    ["if (this.user?.type === 'Patient') return { id: this.user.id };", ''],
    ["case 'system':\n        return 'any';", "case 'system':\n        return 'none';"],
    ["patient !== undefined && isLogicalId(patient) ? { id: patient } : 'none'", "'any'"],
    [
      "return this.user?.type === 'Practitioner' || this.user?.type === 'PractitionerRole' ? 'any' : 'none';",
      "return 'any';",
    ],
    [
      "interaction === 'read' && type === user?.type && id === user.id",
      "interaction === 'read' && type === user?.type",
    ],
    ["scopes.includes('openid') && scopes.includes('profile')", "scopes.includes('profile')"],
    ['if (!canBelongToPatient(type, action)) return undefined;', ''],
    ["person === 'any' || isReadOfShared(type, action)", "person === 'any'"],
    ['if (hasDataSent(request) && !this.permitsAll(...whole)) throw', 'if (hasDataSent(request) && false) throw'],
    ['scope.operation === operation && covers(scope, type)', 'covers(scope, type)'],
    ['if (!isNamed && !isOfSystem) throw this.missingExport();', ''],
    ["if (!this.permitsAll('*', 'rs')) throw this.missingScopeForAll('*', 'rs');", ''],
    ['return limited && inContext.length > 0 ? inContext : permissions;', 'return permissions;'],
    ["if (type !== '*' && level === 'none') throw this.refusalOf(type, action);", ''],
    ["if (shown || (isUnlimited(permissions) && level === 'all')) return;", "if (shown || level === 'all') return;"],
    ['.filter(({ patient }) => patient !== undefined) }))', '.filter(() => true) }))'],
  ),
  ...domain(
    'permission.ts',
    ['if (patient !== (b.patient ?? a.patient)) return [];', ''],
    ['const categories = [...a.categories, ...b.categories];', 'const categories = [...b.categories];'],
    ['one.patient === undefined && one.categories.length === 0 &&', 'one.patient === undefined &&'],
    ['(permission.patient === undefined || isAboutPatient(resource, permission.patient, server)) &&', ''],
    [
      'categories.every((category) => hasCategory(resource, category)) &&',
      '(categories.some((category) => hasCategory(resource, category)) || categories.length === 0) &&',
    ],
    [
      'return including.every(({ patient }) => patient !== undefined) ? including[0]?.patient : undefined;',
      'return including[0]?.patient;',
    ],
  ),
  ...resources(
    'codes.ts',
    ["system === undefined || (own.system ?? '') === system", 'true'],
    ["return value.split(',').some((token) => {", "return value.split(',').every((token) => {"],
  ),
  ...domain(
    'patient-compartment.ts',
    ["if (link === 'unknown') return false;", ''],
    ["isNamed ||= link === 'patient';", "isNamed ||= link !== 'unknown';"],
    ["if (type === 'Patient') return member(resource, 'id') === patientId;", "if (type === 'Patient') return true;"],
    ["Coverage: by('patient', 'beneficiary'),", "Coverage: by('patient', 'subscriber'),"],
    ["return named === undefined || named.type === 'Patient' ? 'unknown' : 'no-patient';", "return 'no-patient';"],
    [
      "return value.split(',').some((name) => name === patientId",
      "return value.split(',').every((name) => name === patientId",
    ],
    ["return ['_id', patientId];", "return ['_tag', patientId];"],
  ),
  ...domain(
    'separation/separation.ts',
    ['return named ? isNamedPermitted(named, patient, surroundings) : isTextOnly(value);', 'return true;'],
    ['if (!elements?.participants) return partOf(resource, fitting);', "return 'whole';"],
    ['if (isRecordless(type)) return true;\n  if (reference', 'if (reference'],
    ["if (type === 'Device' && member(resource, 'patient') === undefined) return true;", ''],
    ['if (!(isShared ? takesPart : isAboutPatient)(resource, patient, server)) return false;', ''],
    [
      'return permissions.length === 0 || permissions.some((permission) => isOfKind(resource, permission));',
      'return true;',
    ],
    ['if (participants?.onlyPatients === false) return takesPart(resource, patient, server);', ''],
    ["if (participants.onlyPatients && named?.type !== 'Patient') return !isContainedPatient(value, resource);", ''],
  ),
  ...domain(
    'separation/shown-part.ts',
    ["!['text', ...hidden].includes(name.replace(/^_/, ''))", "!['text'].includes(name.replace(/^_/, ''))"],
    ['meta: markedAsPart(whole.meta)', 'meta: whole.meta'],
    ['const open = entries.filter((entry) => valuesAt(entry, who).every(isOpen));', 'const open = entries;'],
    ['return asWhole || Object.keys(open).length === 0 ? undefined : open;', 'return open;'],
  ),
  ...domain(
    'separation/named-elements.ts',
    ["List: about(['entry.item'], 'item'),", "List: about(['entry.flag'], 'item'),"],
    [
      "participants: of('participant', 'actor', 'comment', 'note'),",
      "participants: of('participant', 'actor', 'comment'),",
    ],
    ["Provenance: { ...about(['target', 'entity.what']),", "Provenance: { ...about(['target']),"],
  ),
  ...domain(
    'separation/provable-conditions.ts',
    ['.filter(({ named }) => isPermitted(named));', ';'],
    ['for (const parameter of parameters) assertProvable(parameter, elements);', ''],
  ),
  ...domain(
    'references/reference-rule.ts',
    [
      "if (type === 'Patient') return id === patient ? 'permitted' : { fault: 'not-in-record' };",
      "if (type === 'Patient') return 'permitted';",
    ],
    [
      "return isOfRecords(type) ? { place: { type, id, version } } : { fault: 'not-in-record' };",
      "return 'permitted';",
    ],
    ['(type === user?.type && id === user.id)', '(type === user?.type)'],
    ['if (!isInRecord(resource, patient, names)) return false;', ''],
    ["return target.kind !== 'identifier' || hasIdentifier(resource, target.identifier);", 'return true;'],
    [
      "if (identifier.value === undefined) return { fault: 'identifier' };",
      "if (identifier.value === undefined) return 'permitted';",
    ],
    [
      "return target.types.some(isInPatientCompartment) ? { fault: 'other-server' } : 'permitted';",
      "return 'permitted';",
    ],
  ),
  ...domain(
    'references/written-references.ts',
    ["if (!isRoot && members.resourceType === 'Patient') this.visitPatient(members, element);", ''],
    ["if (text.startsWith('#')) return undefined;", "if (!text.startsWith('http')) return undefined;"],
    ['...addressesIn(text, this.bases, this.read),', ''],
  ),
  ...domain(
    'step-up.ts',
    ['if (signIn.accountId === undefined) return undefined;', 'if (signIn.accountId !== undefined) return undefined;'],
    ['!(now - (signIn.authTime ?? 0) <= maxAge)', 'false'],
    ['if (condition !== undefined || trims(parameters)) return false;', ''],
    ["name === 'category' && isOther(value, category)", "name === 'category'"],
    [".flatMap((one) => [one, ...listOf(member(one, 'contained'))])", ''],
  ),
  ...domain(
    'related-types.ts',
    [
      "{ type: included, action: reverse ? 's' : 'r', shown: true }",
      "{ type: searched, action: reverse ? 's' : 'r', shown: true }",
    ],
    [
      "{ type: from, action: 'r', shown: false }, { ...related, shown: false }",
      "{ type: from, action: 'r', shown: true }",
    ],
    [
      'if (referring !== undefined && rest !== undefined)\n    return',
      'if (referring !== undefined && rest !== undefined && depth > 4)\n    return',
    ],
  ),
  ...domain(
    'condition.ts',
    ["if (levels.includes('none')) {", 'if (false) {'],
    ["levels.every((level) => level === 'all') && !conditional.includes(interaction)", 'false'],
    ['assertKnown(condition, searchParameters);', ''],
    ["return condition !== undefined && !token.permitsAll(type, needed[interaction] ?? '');", 'return false;'],
  ),
  ...domain(
    'search-parameters.ts',
    [
      "if (base.startsWith('_')) return control.has(base) && modifier === undefined;",
      "if (base.startsWith('_')) return true;",
    ],
    ['if (unknown === undefined) return;', 'return;'],
  ),
  ...domain(
    'binary/linked-binaries.ts',
    ["DocumentReference: ['content', 'attachment'],", "DocumentReference: ['content'],"],
    ["Media: ['content'],", "Media: ['contents'],"],
  ),
  ...domain('trimmed-answers.ts', ["(name === '_summary' && value === 'count')", 'false']),
  ...domain('fhir-request.ts', ["'history-type': 's',", "'history-type': 'r',"], ["delete: 'd',", "delete: 'u',"]),
];
