"""The round trip of README.md with the generated Python client."""

import os

import plimsoll_client as plimsoll

server, token = os.environ["PLIMSOLL_SERVER"], os.environ["PLIMSOLL_TOKEN"]
configuration = plimsoll.Configuration(host=server, access_token=token)
with plimsoll.ApiClient(configuration) as client:
    jobs = plimsoll.JobsApi(client)

    args = plimsoll.SentimentArgs(texts=["good", "bad"], model="vader")
    job = jobs.create_job(plimsoll.JobSpec(plimsoll.SentimentJobSpec(kind="sentiment", args=args)))
    while job.state not in ("succeeded", "failed", "cancelled"):
        job = jobs.get_job(job.id, wait=60)
    print("state", job.state.value)

    report = jobs.get_job_report(job.id).actual_instance
    print("report", report.kind, report.items.total, report.summary.model)
    for row in jobs.get_job_results(job.id).actual_instance.items:
        print("row", row.label)

    training = os.environ["TRAINING_JOB"]
    report = jobs.get_job_report(training).actual_instance
    print("report", report.kind, report.items.total, report.summary.gpus[0].gpu.id)
    print("row", jobs.get_job_results(training).actual_instance.items[0].gpu)

    waves = os.environ["WAVES_JOB"]
    report = jobs.get_job_report(waves).actual_instance
    print("report", report.kind, report.items.total, report.summary.bars)
    print("row", jobs.get_job_results(waves).actual_instance.items[0].report.bars)

    profile = os.environ["PROFILE_JOB"]
    report = jobs.get_job_report(profile).actual_instance
    print("report", report.kind, report.items.total, report.summary.mode)
    print("engine", str(report.summary.engine is None).lower())
    print("row", jobs.get_job_results(profile).actual_instance.items[0].part)

    for id in (job.id, training, waves, profile):
        print("empty", len(jobs.get_job_results(id, offset=99).actual_instance.items))

    print("csv", jobs.get_job_results_csv(job.id).decode().partition(",")[0])
    print("picture", jobs.get_job_picture_svg(waves, 0).decode()[:4])
    for number, expected in enumerate((422, 404)):
        try:
            if number == 0:
                empty = plimsoll.SentimentJobSpec(kind="sentiment", args=plimsoll.SentimentArgs())
                jobs.create_job(plimsoll.JobSpec(empty))
            else:
                jobs.get_job("job_0000000000000")
        except plimsoll.ApiException as error:
            problem = plimsoll.Problem.from_json(error.body)
            print("refused", problem.status, problem.type)
