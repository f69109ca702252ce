import { readFileSync } from 'node:fs';
import { isRecordless } from '../../src/contract/rules/resources/recordless-types.js';
import { operationsOfRecord as knownToGateway } from '../../src/contract/rules/scopes/scope-effect.js';
import { actionOf } from '../../src/gateway/domain/fhir-request.js';
import {
  isInPatientCompartment,
  subjectElementsOf,
  typesOfRecord,
} from '../../src/gateway/domain/patient-compartment.js';
import { recordless, subjectElements } from './decision/definitions.js';
import { rules } from './decision/rules.js';
import { letters, operationsOfRecord } from './decision/world.js';

describe('The model of the decision', () => {
  it('knows the interactions and operations of the gateway, and no others', () => {
    expect(letters).toEqual(actionOf);
    expect(operationsOfRecord).toEqual(knownToGateway);
  });

  it('finds in HL7’s definitions the types and elements of a record that the gateway has in its table', () => {
    expect([...subjectElements.keys()].sort()).toEqual([...typesOfRecord].sort());
    for (const [type, paths] of subjectElements) expect([type, paths]).toEqual([type, subjectElementsOf(type)]);
  });

  it('has the types that are in no record, and of these none that the compartment has', () => {
    expect([...recordless].filter((type) => !isRecordless(type) || isInPatientCompartment(type))).toEqual([]);
  });

  it('has a sentence in the guide for the security officer for each rule, and none without a rule', () => {
    const guide = readFileSync('docs/guides/security-officer.md', 'utf8');
    const told = [...guide.matchAll(/^\| `([a-z-]+)` \| (.+?) \|$/gm)].map(([, rule, sentence = '']) => [
      rule,
      sentence,
    ]);
    expect(told.map(([rule]) => rule)).toEqual(Object.keys(rules));
    for (const [rule, sentence] of told)
      expect([rule, sentence]).toEqual([rule, expect.stringMatching(/^[A-Z].{20,}\.$/)]);
  });

  it('cites a section or a decision for each rule', () => {
    for (const [rule, source] of Object.entries(rules)) {
      expect([rule, source]).toEqual([rule, expect.stringMatching(/^(?:decision \d{4}|SMART 2\.2 §|FHIR R4 )/)]);
    }
  });
});
