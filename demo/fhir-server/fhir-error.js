// @ts-check
/** @import { OperationOutcome, OperationOutcomeIssue } from '@medplum/fhirtypes' */

/** A refusal with the HTTP status and the issue code that its OperationOutcome carries (FHIR R4 §3.1.0.1.9). */
export class FhirError extends Error {
  /**
   * @param {number} status
   * @param {OperationOutcomeIssue['code']} code
   * @param {string} text
   */
  constructor(status, code, text) {
    super(text);
    this.status = status;
    this.code = code;
  }

  /** @returns {OperationOutcome} */
  get outcome() {
    return {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: this.code, details: { text: this.message } }],
    };
  }
}
