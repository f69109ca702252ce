import { useEffect } from 'react';
import { leave } from '../../browser/leave.js';
import { LoadingOverlay } from './loading-overlay.js';

/** Stands in for a page while the browser leaves for an address of the server. */
export function Redirect({ address }: { address: string }) {
  useEffect(() => leave(address), [address]);
  return <LoadingOverlay />;
}
