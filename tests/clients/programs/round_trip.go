// The round trip of README.md with the Go client that OpenAPI Generator makes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"example.org/clients/plimsoll"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func answer[T, R any](value T, _ R, err error) T { return must(value, err) }

func text(file *os.File) string {
	return string(must(os.ReadFile(file.Name())))
}

func refused(err error) {
	var failure *plimsoll.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(fmt.Sprint("not refused: ", err))
	}
	problem := failure.Model().(plimsoll.Problem)
	fmt.Println("refused", problem.Status, problem.Type)
}

func main() {
	configuration := plimsoll.NewConfiguration()
	configuration.Servers = plimsoll.ServerConfigurations{{URL: os.Getenv("PLIMSOLL_SERVER")}}
	caller := context.WithValue(context.Background(), plimsoll.ContextAccessToken, os.Getenv("PLIMSOLL_TOKEN"))
	jobs := plimsoll.NewAPIClient(configuration).JobsAPI

	args := plimsoll.NewSentimentArgs()
	args.SetTexts([]string{"good", "bad"})
	args.SetModel("vader")
	spec := plimsoll.SentimentJobSpecAsJobSpec(plimsoll.NewSentimentJobSpec("sentiment", *args))
	job := answer(jobs.CreateJob(caller).JobSpec(spec).Execute())
	for job.State != plimsoll.SUCCEEDED && job.State != plimsoll.FAILED && job.State != plimsoll.CANCELLED {
		job = answer(jobs.GetJob(caller, job.Id).Wait(60).Execute())
	}
	fmt.Println("state", job.State)

	reportOf := func(id string) *plimsoll.Report { return answer(jobs.GetJobReport(caller, id).Execute()) }
	resultsOf := func(id string) *plimsoll.JobResults { return answer(jobs.GetJobResults(caller, id).Execute()) }

	scores := reportOf(job.Id).SentimentReport
	fmt.Println("report", scores.Kind, scores.Items.Total, scores.Summary.GetModel())
	for _, row := range resultsOf(job.Id).SentimentResults.Items {
		fmt.Println("row", *row.Label.Get())
	}

	training := os.Getenv("TRAINING_JOB")
	advice := reportOf(training).TrainingConfigReport
	fmt.Println("report", advice.Kind, advice.Items.Total, advice.Summary.Gpus[0].Gpu.Id)
	fmt.Println("row", resultsOf(training).TrainingConfigResults.Items[0].Gpu)

	waves := os.Getenv("WAVES_JOB")
	counts := reportOf(waves).WavesReport
	fmt.Println("report", counts.Kind, counts.Items.Total, counts.Summary.Bars)
	fmt.Println("row", resultsOf(waves).WavesResults.Items[0].Report.Get().Bars)

	profile := os.Getenv("PROFILE_JOB")
	speeds := reportOf(profile).ProfileReport
	fmt.Println("report", speeds.Kind, speeds.Items.Total, speeds.Summary.Mode)
	fmt.Println("engine", speeds.Summary.Engine.Get() == nil)
	fmt.Println("row", resultsOf(profile).ProfileResults.Items[0].Part)

	empty := func(id string) *plimsoll.JobResults {
		return answer(jobs.GetJobResults(caller, id).Offset(99).Execute())
	}
	fmt.Println("empty", len(empty(job.Id).SentimentResults.Items))
	fmt.Println("empty", len(empty(training).TrainingConfigResults.Items))
	fmt.Println("empty", len(empty(waves).WavesResults.Items))
	fmt.Println("empty", len(empty(profile).ProfileResults.Items))

	csv, _, _ := strings.Cut(text(answer(jobs.GetJobResultsCsv(caller, job.Id).Execute())), ",")
	fmt.Println("csv", csv)
	fmt.Println("picture", text(answer(jobs.GetJobPictureSvg(caller, waves, 0).Execute()))[:4])

	nothing := plimsoll.SentimentJobSpecAsJobSpec(plimsoll.NewSentimentJobSpec("sentiment", *plimsoll.NewSentimentArgs()))
	_, _, err := jobs.CreateJob(caller).JobSpec(nothing).Execute()
	refused(err)
	_, _, err = jobs.GetJob(caller, "job_0000000000000").Execute()
	refused(err)
}
