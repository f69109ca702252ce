import type { Receipt } from '../../contract/own-record/receipts.js';

/** The values of the receipt's template, which is the mail and the text to download. An absent value is an empty text. */
export function receiptMail(receipt: Receipt) {
  const time = (iso: string | null | undefined) => (iso ? new Date(iso) : '');
  return {
    app: receipt.clientName,
    number: receipt.id,
    by: receipt.by,
    ended: new Date(receipt.endedAt),
    since: time(receipt.since),
    signIns: receipt.signIns,
    accessTokens: receipt.accessTokens ?? '',
    refreshTokens: receipt.refreshTokens,
    agreements: receipt.agreements,
    offline: receipt.offline,
    areRecorded: receipt.lastAccess !== undefined,
    lastAccess: time(receipt.lastAccess),
    readAt: time(receipt.lastRead?.at),
    readKinds: { kinds: kindsByNumber(receipt) },
    readUnattended: receipt.lastRead?.unattended ?? false,
    until: time(receipt.worksUntil),
    company: receipt.legalCompanyName ?? '',
    contact: receipt.contactUsUrl ?? '',
  };
}

/** The kinds that the app read last, those with the most resources first. */
function kindsByNumber({ lastRead }: Receipt): string[] {
  return Object.entries(lastRead?.kinds ?? {})
    .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([kind]) => kind);
}
