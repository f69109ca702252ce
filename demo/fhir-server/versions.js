// @ts-check
/**
 * @import { Request, Response } from 'express'
 * @import { Resource } from '@medplum/fhirtypes'
 */

/**
 * Sets the headers by which clients name a version (FHIR R4 §3.1.0.1.6).
 *
 * @param {Response} res
 * @param {Resource} resource
 */
export function setVersionHeaders(res, resource) {
  res.set('ETag', `W/"${resource.meta?.versionId}"`);
  res.set('Last-Modified', new Date(resource.meta?.lastUpdated ?? 0).toUTCString());
}

/**
 * True if a conditional read may be answered with 304. `If-None-Match` outweighs `If-Modified-Since` (RFC 9110
 * §13.2.2). Express has a check of its own, which gives up when `fetch` adds `Cache-Control: no-cache` to a
 * conditional request.
 *
 * @param {Request} req
 * @param {Resource} resource
 */
export function isUnchanged(req, resource) {
  const noneMatch = req.get('if-none-match');
  if (noneMatch !== undefined) {
    return namesVersion(noneMatch, resource);
  }
  const since = Date.parse(req.get('if-modified-since') ?? '');
  const lastUpdated = Date.parse(resource.meta?.lastUpdated ?? '');
  // HTTP dates have whole seconds: a resource changed within the same second counts as seen.
  return Math.floor(lastUpdated / 1000) * 1000 <= since;
}

/**
 * True if `If-Match` or `If-None-Match` names the version of this resource. FHIR version tags are weak by definition,
 * so weak and strong spellings are equal here.
 *
 * @param {string} tags a list of entity tags, or `*`
 * @param {Resource} resource
 */
export function namesVersion(tags, resource) {
  return tags.split(',').some((tag) => {
    const trimmed = tag.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === `"${resource.meta?.versionId}"`;
  });
}
