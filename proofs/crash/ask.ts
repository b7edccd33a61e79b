const requestMilliseconds = 20_000;

/** Sends a request; null when the connection broke, which is what a killed server looks like. */
export async function ask(url: string, init: RequestInit): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(requestMilliseconds) });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

/** What the proof needs of the contract's task object. */
export function readTask(text: string): { task_id: string; status: string; is_final: boolean } {
  return JSON.parse(text) as { task_id: string; status: string; is_final: boolean };
}
