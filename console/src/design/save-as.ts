/** Downloads a file of the API under a name. Browsers ignore the name of a link to another origin, so it is fetched. */
export async function saveAs(url: string, fileName: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The download failed with status ${response.status}.`);
  const local = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = local;
  link.download = fileName;
  link.click();
  // The browser has taken the bytes over by then.
  setTimeout(() => URL.revokeObjectURL(local), 60_000);
}
