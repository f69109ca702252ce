import { createRequire } from 'node:module';
import type { Config } from '../../platform/config/config.js';

/** fhirpath and its model of R4 are two megabytes of code: they are loaded with the first row that is shown. */
const load = createRequire(import.meta.url);
const fhirpath = () => load('fhirpath') as typeof import('fhirpath');
const r4 = () => load('fhirpath/fhir-context/r4') as import('fhirpath').Model;

type ColumnPaths = Config['fhir']['launchContext'][number]['columns'];

/** The current name of every person, in any of its forms. */
const personName =
  "iif(name.where(use = 'official').exists(), name.where(use = 'official'), name).first()" +
  ".select(iif(text.exists(), text, given.combine(family).join(' ')))";

/** R5 calls the period of an encounter `actualPeriod` and has a list of classes. */
const standard: Readonly<Record<string, ColumnPaths>> = {
  Patient: [
    { name: 'Name', path: personName },
    { name: 'Date of birth', path: 'birthDate' },
    { name: 'Gender', path: 'gender' },
    {
      name: 'Record number',
      path: "iif(identifier.where(type.coding.code = 'MR').exists(), identifier.where(type.coding.code = 'MR').first().value, id)",
    },
  ],
  Encounter: [
    { name: 'Visit', path: '(type.text | type.coding.display | class.display | class.coding.display).first()' },
    { name: 'Started', path: '(period.start | actualPeriod.start).first()' },
    { name: 'Status', path: 'status' },
    { name: 'Class', path: '(class.display | class.coding.display | class.code).first()' },
  ],
};

const otherwise: ColumnPaths = [
  { name: 'Description', path: '(code.text | code.coding.display | title | description).first()' },
  { name: 'Id', path: 'id' },
];

type Evaluate = (resource: unknown) => unknown[];

interface Column {
  name: string;
  evaluate: Evaluate;
}

/** The facts that identify a patient to a user, whichever columns are configured. */
export interface PatientIdentity {
  /** Never empty. */
  name: string;
  birthDate: string;
  recordNumber: string;
}

/** The columns that a row of the launch-context page shows of a resource. */
export class Columns {
  private readonly byType: ReadonlyMap<string, Column[]>;
  private readonly others = otherwise.map(compiledLater);
  private readonly identity = new Map(standard.Patient?.map((column) => [column.name, compiledLater(column).evaluate]));

  /** Throws when a configured path is not FHIRPath. */
  constructor(configured: Config['fhir']['launchContext']) {
    this.byType = new Map([
      ...Object.entries(standard).map(([type, columns]) => [type, columns.map(compiledLater)] as const),
      ...configured.map(({ type, columns }) => [type, columns.map(compiled)] as const),
    ]);
  }

  names(type: string): string[] {
    return this.forType(type).map(({ name }) => name);
  }

  row(type: string, resource: unknown): Record<string, string> {
    return Object.fromEntries(this.forType(type).map(({ name, evaluate }) => [name, textOf(evaluate, resource)]));
  }

  /** A patient without a name is named by the record number, which every patient has: it is the id, if need be. */
  identify(patient: unknown): PatientIdentity {
    const text = (name: string) => textOf(this.identity.get(name) ?? (() => []), patient);
    const recordNumber = text('Record number');
    return { name: text('Name').trim() || recordNumber, birthDate: text('Date of birth'), recordNumber };
  }

  private forType(type: string) {
    return this.byType.get(type) ?? this.others;
  }
}

function compiledLater(column: ColumnPaths[number]): Column {
  let first: Evaluate | undefined;
  return {
    name: column.name,
    evaluate(resource) {
      first ??= compiled(column).evaluate;
      return first(resource);
    },
  };
}

function compiled({ name, path }: ColumnPaths[number]): Column {
  try {
    return { name, evaluate: fhirpath().compile(path, r4(), { resolveInternalTypes: false }) as Evaluate };
  } catch (cause) {
    throw new Error(`fhir.launchContext: the path of the column '${name}' is not FHIRPath: ${path}`, { cause });
  }
}

/** Empty where the path does not fit the resource: one odd resource must not hide the others. */
function textOf(evaluate: Evaluate, resource: unknown): string {
  try {
    const found = evaluate(resource);
    const types = fhirpath().types(found);
    const values: unknown[] = fhirpath().resolveInternalTypes(found);
    return values
      .filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
      .map((value, index) => (types[index] === 'FHIR.code' ? inWords(String(value)) : String(value)))
      .join(', ');
  } catch {
    return '';
  }
}

/** 'in-progress' → 'In progress'. Codes in capitals, such as 'AMB', stay as they are. */
function inWords(code: string): string {
  return code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');
}
