import { t } from '../i18n/i18n.js';
import { notify } from '../notices.js';

/** Says whether it worked: browsers refuse it on pages that came without TLS, and where people forbade it. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify('success', t('common.copied'));
  } catch {
    notify('error', t('common.notCopied'));
  }
}
