"""Calls Kinora with the unmodified official Python client, and prints all results as one line of JSON."""

import hashlib
import json
import sys
import warnings

import openai

warnings.simplefilter("ignore", DeprecationWarning)  # the client's own, about another service
given = json.load(sys.stdin)
image = open(given["image"], "rb").read()
quick = {"model": "animatic", "seconds": "1", "size": "480x480"}


def client_of(key):
    return openai.OpenAI(api_key=key, base_url=f"{given['url']}/v1", max_retries=0)


def failure(work):
    try:
        work()
    except openai.APIStatusError as error:
        return {"is": type(error).__name__, "status": error.status_code, "code": error.code, "param": error.param}
    return None


def digest(content):
    return hashlib.sha256(content.read()).hexdigest()


client = client_of(given["key"])
results = {}

created = client.videos.create(prompt="a paper boat", **quick)
polled = client.videos.poll(created.id)
results["created"] = created.to_dict()
results["polled"] = polled.to_dict()
results["video_sha256"] = digest(client.videos.download_content(created.id))
results["thumbnail_bytes"] = len(client.videos.download_content(created.id, variant="thumbnail").read())
results["deleted"] = client.videos.delete(created.id).to_dict()
results["after_delete"] = failure(lambda: client.videos.retrieve(created.id))

pictured = client.videos.create_and_poll(
    prompt="the camera moves in", input_reference=("boat.png", image, "image/png"), **quick
)
results["pictured"] = pictured.to_dict()
file = client.files.create(file=("boat.png", image), purpose="vision")
results["file"] = file.to_dict()
# The client's types allow an object as input_reference, but its code accepts only files.
more = {"input_reference": {"file_id": file.id}, "seed": 7, "metadata": {"a": "b"}}
by_id = client.videos.create(prompt="the camera moves in", extra_body=more, **quick)
results["by_id"] = by_id.to_dict()
results["file_deleted"] = client.files.delete(file.id).to_dict()
results["by_id_end"] = client.videos.poll(by_id.id).to_dict()

lister = client_of(given["waiting_key"])
ids = [lister.videos.create(prompt=str(number), **quick).id for number in range(5)]
results["ids"] = ids
results["listed"] = [video.id for video in lister.videos.list(limit=2)]
results["listed_upwards"] = [video.id for video in lister.videos.list(limit=3, order="asc")]

results["failures"] = {
    "key": failure(lambda: client_of("kin_test_wrong").videos.create(prompt="a boat")),
    "id": failure(lambda: client.videos.retrieve("video_123")),
    "remix": failure(lambda: client.videos.remix("video_123", prompt="again")),
    "size": failure(lambda: client.videos.create(prompt="a boat", size="1x1")),
    "image": failure(lambda: client.videos.create(prompt="a boat", input_reference=b"not an image")),
    "file": failure(lambda: client.files.create(file=b"not an image", purpose="vision")),
    "limit": failure(lambda: lister.videos.create(prompt="one too many", **quick)),
}
print(json.dumps(results))
