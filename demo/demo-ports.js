// @ts-check

export const DEFAULT_PORTAL_PORT = 3000;

/** The largest portal port for which all four ports exist. */
export const LARGEST_PORTAL_PORT = 65_535 - 803;

/**
 * The ports of a demo: all of them follow from the port of its portal.
 *
 * @param {number} portal
 */
export function demoPorts(portal = DEFAULT_PORTAL_PORT) {
  return { portal, fhir: portal + 801, app: portal + 802, ehr: portal + 803 };
}
