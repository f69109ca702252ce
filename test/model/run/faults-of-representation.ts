import { type Fault, faultsOf } from './bundle.js';

const domain = faultsOf('gateway/domain');
const access = faultsOf('gateway/application/access');
const binary = faultsOf('gateway/application/binary');
const representation = faultsOf('representation/domain');
const resources = faultsOf('contract/rules/resources');

/** What the token of a representative opens, tells and changes. */
const limits: readonly Fault[] = [
  ...domain(
    'acting/record-limit.ts',
    ["isChange(action) && (ofRepresentatives.has(type) || (type === 'Patient' && action === 'd'))", 'false'],
    [
      "new Set(['AuditEvent', 'Consent', 'Person', 'RelatedPerson'])",
      "new Set(['AuditEvent', 'Person', 'RelatedPerson'])",
    ],
    ["(ofRepresentatives.has(type) || (type === 'Patient' && action === 'd'))", 'ofRepresentatives.has(type)'],
    ["return 'cud'.includes(action);", "return 'cu'.includes(action);"],
  ),
  ...domain(
    'acting/protected-elements.ts',
    ['if (changed !== undefined) return', 'if (false) return'],
    ["if (losesLabel(stored, written)) return 'meta.security';", ''],
    ["if (losesCategory(type, stored, written, protection)) return 'category';", ''],
    ['return lostCode(type, stored, written, protection);', 'return undefined;'],
    ["'deceasedBoolean', 'deceasedDateTime', 'link']", "'deceasedBoolean', 'link']"],
    ["'deceasedDateTime', 'link']", "'deceasedDateTime']"],
    ["['active', 'birthDate',", "['birthDate',"],
    ['[name, `_${name}`]', '[name]'],
    ['one.startsWith(`${type}/`) ? one.slice(type.length + 1) : []', 'one.slice(one.indexOf("/") + 1)'],
    ["return `${system ?? ''}|${code}`;", 'return String(code);'],
  ),
  ...domain(
    'acting/asked-patient.ts',
    ["family', 'given', 'name', 'phonetic'],", "family', 'given', 'name', 'phonetic', 'language'],"],
    ["if (base === 'identifier' && limit.isPatientInPart) return modifier === undefined;", ''],
    ["base === '_include' ? (value.split(':')[1] ?? '') : base", 'base'],
    ["(!limit.isPatientInPart && limit.showsOfPatient('contact'))", 'true'],
    ["name === 'identifier' ? value.split(',').filter(isShown).join(',') : value", 'value'],
    ["if (open === '' && value !== '') return undefined;", ''],
    ["|| (value.endsWith('|') && own.some(({ system }) => value === `${system}|`))", ''],
  ),
  ...domain(
    'token-permissions.ts',
    ["if (this.limit && subject !== 'patient') return 'none';", ''],
    ['if (this.limit && !ofRepresentatives.has(type)) return false;', ''],
    ['if (this.limit && !ofRepresentatives.has(type)) return false;', 'if (this.limit) return false;'],
    ['const includes = isChange(action) ? limit.permitsChange : limit.permits;', 'const includes = limit.permits;'],
    ['if (!(isChange(action) ? limit.permitsChangeOf(type) : limit.permitsType(type))) return [];', ''],
    [
      'if (!(isChange(action) ? limit.permitsChangeOf(type) : limit.permitsType(type))) return [];',
      'if (!limit.permitsType(type)) return [];',
    ],
    ['if (limit && values.some(isClosed)) throw', 'if (limit && values.every(isClosed) && false) throw'],
    ['if (limit && values.some(isClosed)) throw', 'if (limit && values.every(isClosed)) throw'],
    [
      'if (protection && isProtectedChange(type, action)) return [];',
      'if (limit && isProtectedChange(type, action)) return [];',
    ],
  ),
  ...domain(
    'permission.ts',
    ['(part?.includes(resource) ?? true)', 'true'],
    ['const part = a.part ?? b.part;', 'const part = undefined;'],
    ['const part = a.part ?? b.part;', 'const part = b.part;'],
  ),
  ...domain('separation/separation.ts', [
    "if (!part || part.shown(resource) === resource) return 'whole';",
    "return 'whole';",
  ]),
  ...access('limited-access.ts', [
    'throw shownInPart(current.resource, shown.partOf(current.resource));',
    'return current;',
  ]),
  ...binary('binary-rights.ts', ['if (token.limit?.excludes(resource)) throw notFound();', '']),
  ...binary(
    'binary-rights.ts',
    ['if (isPrivate) throw notFound();', ''],
    [
      'if (!limit || patient === undefined) return;',
      "if (!limit || patient === undefined || limit.permitsType('Media')) return;",
    ],
  ),
  ...binary('binary-rights.ts', ['if (limit.permits(resource)) return;', '']),
];

/** Which kinds levels name, and what a resource of a kind may have. */
const levels: readonly Fault[] = [
  ...representation(
    'levels/chosen-kinds.ts',
    ['change: [],', 'change: rule.change,'],
    ['allOf([rule.without, unchosen(rules.sensitive, chosen)])', 'rule.without'],
  ),
  ...representation(
    'compiled-level.ts',
    [
      'if (isRecordless(type)) return true;\n    if (this.excludes(resource)) return false;',
      'if (this.excludes(resource)) return false;',
    ],
    ['if (this.excludes(resource)) return false;', ''],
    ['if (documentTypes.has(type)) return true;', ''],
    ['return attachmentsIn(resource, type).every(', 'return attachmentsIn(resource, type).some('],
    [
      'return attachmentsIn(resource, type).every((element) => this.attachments.has(`${type}.${element}`));',
      'return true;',
    ],
    ['this.attachments.has(`${type}.${element}`)', 'this.attachments.size > 0'],
    ['securityLabels.some((label) => hasLabel(resource, label)) ||', ''],
    [
      'securityLabels.some((label) => hasLabel(resource, label)) ||',
      'securityLabels.some((label) => !label.includes("|") && hasLabel(resource, label)) ||',
    ],
    ['(kind.type === undefined ? !documentTypes.has(type) : kind.type === type)', '(kind.type ?? type) === type'],
    [
      "['DocumentManifest', 'DocumentReference', 'List', 'Media', 'QuestionnaireResponse']",
      "['DocumentManifest', 'DocumentReference', 'Media', 'QuestionnaireResponse']",
    ],
    ["'ClinicalImpression', 'Communication', 'CommunicationRequest',", "'ClinicalImpression', 'CommunicationRequest',"],
    [
      "new Set(['Patient', 'RelatedPerson', 'Person'])",
      "new Set(['Patient', 'RelatedPerson', 'Person', 'Goal', 'Binary'])",
    ],
    ['if (this.without.categories.includes(`${type}/${code}`)) return false;', ''],
    ['types.includes(type) ||', ''],
    ['categories.some((one) => isCategoryOf(one, type) && hasCategory(resource, one.slice(type.length + 1))) ||', ''],
    [
      'isCategoryOf(one, type) && hasCategory(resource, one.slice(type.length + 1))',
      'hasCategory(resource, one.slice(one.indexOf("/") + 1))',
    ],
    ['return changes === undefined || this', 'return true || this'],
    ['const codings = own === type ? codingsOf(resource, name) : [];', 'const codings = codingsOf(resource, name);'],
    ['(label === undefined || hasLabel(resource, label))', 'true'],
    ['(category === undefined || hasCategory(resource, category)) &&', ''],
    [
      'return ownCode === code && (system === undefined || ownSystem === undefined || system === ownSystem);',
      'return ownCode === code && ownSystem === system;',
    ],
    ['if (categories === undefined) return true;', 'if (categories === undefined) return false;'],
  ),
  ...resources(
    'codes.ts',
    ['(?:CodeableConcept|Coding|Code|Reference|CodeableReference)?$`', '(?:CodeableConcept|Coding|Code)?$`'],
    ["...contained.map((one) => member(one, 'code'))", ''],
    ["member(value, 'concept'),", ''],
  ),
  ...representation(
    'attachments.ts',
    ["names.test(name) || typeof member(value, 'contentType') === 'string'", 'names.test(name)'],
    [
      "names.test(name) || typeof member(value, 'contentType') === 'string'",
      "typeof member(value, 'contentType') === 'string'",
    ],
    ['if (isIn(member, (value as Record<string, unknown>)[member], depth + 1)) return true;', ''],
    [
      "return sharedNames.test(name) && ['url', 'data'].some((one) => typeof member(value, one) === 'string');",
      'return false;',
    ],
  ),
];

/** What is shown of a record, and what tells of others. */
const records: readonly Fault[] = [
  ...representation(
    'other-representatives.ts',
    ["if (type === 'AuditEvent') return true;", ''],
    ["if (type === 'AuditEvent') return false;", ''],
    ["`${type}/${member(resource, 'id')}` !== self.person", 'false'],
    ["if (type === 'Patient') return place !== `Patient/${patient}`;", ''],
    ["return type === 'Consent' && hasObject(resource, (one) => isAboutRepresentation(one, self));", 'return false;'],
    ["if (type === 'Provenance') return hasObject(resource, (one) => isOther(one, self));", ''],
    [
      'return !persons.has(type) || person?.startsWith(`${type}/`) === true;',
      'return !persons.has(type) || person !== undefined;',
    ],
    [
      'return persons.has(type) && (place === undefined || place !== person);',
      'return persons.has(type) && place !== undefined && place !== person;',
    ],
    ["if (containedIn(resource).some((one) => persons.has(String(member(one, 'resourceType'))))) return true;", ''],
    [".replace(/\\/_history\\/[^/]+$/, '') : undefined", ' : undefined'],
    ['|| isOneOf([value], ofRepresentation)', ''],
    ['persons.has(type) || isOtherPatient', 'isOtherPatient'],
    ["'http://loinc.org|64298-3'", "'64298-3'"],
  ),
  ...representation(
    'permitted-record.ts',
    ['if (tellsOfOthers(resource, this.self)) return false;', ''],
    ['contained.every((one) => this.includes(one, depth + 1))', 'true'],
    [
      'contained.every((one) => this.includes(one, depth + 1))',
      'contained.some((one) => this.includes(one, depth + 1))',
    ],
    ["if (this.hidesContacts && element === 'contact') return false;", ''],
    ['return !this.isPatientInPart || this.elementsInPart', 'return this.elementsInPart'],
    ['return all.some(isTyped) ? all.filter(isRecordNumber) : all;', 'return all;'],
    ['return all.some(isTyped) ? all.filter(isRecordNumber) : all;', 'return all.filter(isRecordNumber);'],
    ['else delete part.identifier;', ''],
    ['this.levels.every((level) => level.permits(resource))', 'this.levels.some((level) => level.permits(resource))'],
    [
      'return this.levels.some((level) => level.excludes(resource));',
      'return this.levels.every((level) => level.excludes(resource));',
    ],
    ['return this.levels.some(({ isFull }) => !isFull);', 'return this.levels.every(({ isFull }) => !isFull);'],
    [
      'this.levels.every((level) => level.showsContactDetails)',
      'this.levels.some((level) => level.showsContactDetails)',
    ],
    [
      'return this.permits(resource) && this.levels.every((level) => level.permitsChange(resource));',
      'return this.levels.every((level) => level.permitsChange(resource));',
    ],
    [
      'return this.permits(resource) && this.levels.every((level) => level.permitsChange(resource));',
      'return this.permits(resource) && this.levels.some((level) => level.permitsChange(resource));',
    ],
    [
      'return mayShowType(type, this.self) && this.levels.every((level) => level.permitsChangeOf(type));',
      'return mayShowType(type, this.self) && this.levels.some((level) => level.permitsChangeOf(type));',
    ],
    [
      'return this.levels.every((level) => level.permitsCategory(type, category));',
      'return this.levels.some((level) => level.permitsCategory(type, category));',
    ],
    ['return this.hidesContacts ? withoutContacts(resource as Json) : resource;', 'return resource;'],
    [
      'const { contact, text: _text, contained, ...rest } = patient;',
      'const { contact, contained, ...rest } = patient;',
    ],
    [
      "const left = listOf(contained).filter((one) => !named.includes(`#${member(one, 'id')}`));",
      'const left = listOf(contained);',
    ],
    ["'gender', '_gender', 'birthDate',", "'gender', '_gender', 'maritalStatus', 'birthDate',"],
  ),
];

/** Who may act on a day. */
const days: readonly Fault[] = [
  ...representation(
    'ages.ts',
    [
      'completedYears(born.earliest, today, { month: 2, day: 28 })',
      'completedYears(born.latest, today, { month: 3, day: 1 })',
    ],
    [
      'completedYears(born.earliest, today, { month: 2, day: 28 })',
      'completedYears(born.earliest, today, { month: 3, day: 1 })',
    ],
    [
      'completedYears(born.latest, today, { month: 3, day: 1 })',
      'completedYears(born.latest, today, { month: 2, day: 28 })',
    ],
    [
      'completedYears(born.latest, today, { month: 3, day: 1 })',
      'completedYears(born.earliest, today, { month: 3, day: 1 })',
    ],
    [
      'Math.max(0, completedYears(born.latest, today, { month: 3, day: 1 }))',
      'completedYears(born.latest, today, { month: 3, day: 1 })',
    ],
    ['from > step.from && from <= range.least', 'from > step.from && from <= range.most'],
    [
      'return possible.some(({ from }) => from <= range.least) ? possible : [belowTable, ...possible];',
      'return possible;',
    ],
    [
      'return { earliest: first, latest: { ...last, day: daysIn(last) } };',
      'return { earliest: first, latest: last };',
    ],
    ['month: month === undefined ? 12 : first.month', 'month: first.month'],
    ['(year % 100 !== 0 || year % 400 === 0)', 'true'],
    ['[4, 6, 9, 11].includes(month) ? 30 : 31', '31'],
    [
      'compare(today, birthdayIn(born, today.year, inOtherYears)) < 0',
      'compare(today, birthdayIn(born, today.year, inOtherYears)) <= 0',
    ],
    ["new Intl.DateTimeFormat('en-CA', { timeZone,", "new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC',"],
    ['formats.get(timeZone)', "formats.get('UTC')"],
  ),
  ...representation(
    'decision.ts',
    ["if (facts.replacedBy !== undefined) return refused('record-replaced');", ''],
    ["if (!facts.isActive) return refused('record-inactive');", ''],
    ["if (facts.isDeceased && !survivesDeath) return refused('deceased');", ''],
    [
      "if (facts.isDeceased && !survivesDeath) return refused('deceased');",
      "if (facts.isDeceased) return refused('deceased');",
    ],
    ['relationship.withoutBirthDate && facts.birthDate === undefined', 'relationship.withoutBirthDate'],
    ['const isDecided = relationship.withoutBirthDate && facts.birthDate === undefined;', 'const isDecided = false;'],
    [
      'steps.some(({ level }) => level === ends || level === notPossible)',
      'steps.every(({ level }) => level === ends || level === notPossible)',
    ],
    ['level === ends || level === notPossible', 'level === ends'],
    ['agreement === true && !agreedSteps.includes(from)', 'agreement === true && agreedSteps.length === 0'],
    [
      'steps.some(({ from, agreement }) => agreement === true',
      'steps.every(({ from, agreement }) => agreement === true',
    ],
    ['aboveTable?.step === from &&', ''],
    ['? relationship.aboveTable?.level : step.level', '? undefined : step.level'],
    ['? relationship.aboveTable?.level : step.level', '? (relationship.aboveTable?.level ?? step.level) : step.level'],
    ['? relationship.aboveTable?.level : step.level', '? relationship.aboveTable?.level : undefined'],
    ['day <= aboveTable.until', 'day < aboveTable.until'],
    ['aboveTable.until === null ||', ''],
    [
      'return permitted([relationship.level, ...limits]);',
      'return permitted(limits.length > 0 ? limits : [relationship.level]);',
    ],
    ["status === 'suspended' && !ofRecord.has(reason)", "status === 'suspended'"],
    [
      "new Set<Relationship['reason']>(['deceased', 'agreement'])",
      "new Set<Relationship['reason']>(['deceased', 'agreement', 'merged', 'unanswered'])",
    ],
    ["if (status !== 'active' && status !== 'suspended') return 'not-active';", ''],
  ),
  ...representation(
    'relationship.ts',
    ['(end === null || day <= end)', '(end === null || day < end)'],
    ['(end === null || day <= end)', 'true'],
    ['(start === null || start <= day)', '(start === null || start < day)'],
  ),
];

export const faultsOfRepresentation: readonly Fault[] = [...limits, ...levels, ...records, ...days];
