/** Rule `scope-category`: codes of categories and labels, as searches by token compare them (FHIR R4 §3.1.1.4.10). */
import { at, of } from './world.js';

/** Elements of type `code` have the system of their binding (FHIR R4 §3.1.1.4.10). */
const systemOfCodes: Readonly<Record<string, string>> = {
  AllergyIntolerance: 'http://hl7.org/fhir/allergy-intolerance-category',
  DeviceMetric: 'http://hl7.org/fhir/metric-category',
  MessageDefinition: 'http://hl7.org/fhir/message-significance-category',
};

interface Coding {
  system?: string;
  code?: string;
}

/** `code`, `|code` (no system), `system|code`, or a list of these of which one has to match. */
export function hasCategory(resource: unknown, values: string): boolean {
  const codings = at(resource, ['category']).flatMap((one) =>
    typeof one === 'string'
      ? [{ system: systemOfCodes[String(of(resource, 'resourceType'))], code: one } as Coding]
      : at(one, ['coding']).map((coding) => coding as Coding),
  );
  return isAnyOf(codings, values);
}

export function hasLabel(resource: unknown, values: string): boolean {
  return isAnyOf(at(resource, ['meta', 'security']) as Coding[], values);
}

function isAnyOf(codings: readonly Coding[], values: string): boolean {
  return values.split(',').some((value) => {
    const [code, system] = value.split('|').reverse();
    return codings.some((one) => one.code === code && (system === undefined || (one.system ?? '') === system));
  });
}
