import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["KINORA_BASE_URL"] + "/v1", api_key=os.environ["KINORA_API_KEY"])

video = client.videos.create_and_poll(
    prompt="A paper boat drifts down a rain-soaked street",
    seconds="1",
    size="480x480",
)
print(video.status, video.error.message if video.error else f"{video.seconds} s, {video.size}")

client.videos.download_content(video.id).write_to_file("boat.mp4")
